"""What people hand in, and how it is checked."""
