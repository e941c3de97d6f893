"""Of `llama_index.core.schema`, the class of a document, whose fields are checked."""


class Document:
    def __init__(self, *, id_, text, metadata):
        assert isinstance(id_, str) and isinstance(text, str) and isinstance(metadata, dict)
        self.id_ = id_
        self.text = text
        self.metadata = metadata
