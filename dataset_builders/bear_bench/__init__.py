"""The builder of BEAR-Bench: from documents to pages with questions, one resumable stage after the other."""
