"""What trec_eval computes, under its own names."""
