"""The delivery graph: from what a repository shows to the releases that carry a change, each edge with its evidence.

Pure: histories and manifests come in as values, and nothing is looked up. What the evidence does not decide is
unknown, never "fixed" and never "affected".
"""
