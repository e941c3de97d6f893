"""Of `langchain_core.documents`, the class of a document, whose fields are checked."""


class Document:
    def __init__(self, page_content, *, metadata=None, id=None):
        assert isinstance(page_content, str) and isinstance(metadata or {}, dict)
        self.page_content = page_content
        self.metadata = metadata or {}
        self.id = id
