"""Whether estimates can be trusted where judgments are missing."""
