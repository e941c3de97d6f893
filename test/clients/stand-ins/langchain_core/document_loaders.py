"""Of `langchain_core.document_loaders`, what loaders inherit: `load` calls `lazy_load`."""


class BaseLoader:
    def load(self):
        return list(self.lazy_load())
