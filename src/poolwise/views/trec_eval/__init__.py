"""What trec_eval prints."""
