"""Model artifacts read without their weights: sources, containers, lazy ONNX, GenAI packages, placement tables."""
