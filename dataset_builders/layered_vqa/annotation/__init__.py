"""Drafts of annotations by models: shard, evidence, verify, each reply checked and mended once or flagged."""
