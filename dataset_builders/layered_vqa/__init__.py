"""Layered-VQA: one scene, one question, sixteen deliveries."""
