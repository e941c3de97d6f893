"""Of Scrapy, what a spider and a downloader middleware need."""

from scrapy.http import Request


class Spider:
    def start(self):
        return [Request(url) for url in self.start_urls]
