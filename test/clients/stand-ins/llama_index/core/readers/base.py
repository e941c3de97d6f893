"""Of `llama_index.core.readers.base`, what readers inherit: `load_data` calls `lazy_load_data`."""


class BaseReader:
    def load_data(self, *args, **load_kwargs):
        return list(self.lazy_load_data(*args, **load_kwargs))
