"""An extension of LVQA: one of each thing that can be added from outside."""
