"""A dataset folder to the Hub: what is checked, what is planned, what is sent."""
