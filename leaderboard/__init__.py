"""The leaderboard: submissions, what the board computes of them, and the pages that show it."""
