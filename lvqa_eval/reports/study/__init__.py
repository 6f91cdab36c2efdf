"""What a report of several runs is made from: their scores and readings, joined on the same questions."""
