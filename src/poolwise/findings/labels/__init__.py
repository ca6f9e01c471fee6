"""What labels by people and machines support: agreement, conclusions, and estimates with them."""
