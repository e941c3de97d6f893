"""`python -m scrapy runspider FILE -s NAME=VALUE -o OUTPUT`: each request passes the middlewares, one after the other."""

import json
import runpy
import sys
from argparse import ArgumentParser
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

from scrapy import Spider
from scrapy.http import Response

arguments = ArgumentParser()
arguments.add_argument("command")
arguments.add_argument("file")
arguments.add_argument("-s", action="append")
arguments.add_argument("-o")
options = arguments.parse_args()
settings = dict(setting.split("=", 1) for setting in options.s)
classes = [one for one in runpy.run_path(options.file).values() if isinstance(one, type)]
spider = next(one for one in classes if issubclass(one, Spider) and one is not Spider)()
crawler = SimpleNamespace(settings=settings)
middlewares = [one.from_crawler(crawler) for one in spider.custom_settings["DOWNLOADER_MIDDLEWARES"]]


def download(request):
    call = HttpRequest(request.url, request.body and request.body.encode(), request.headers, method=request.method)
    try:
        answer = urlopen(call)
    except HTTPError as error:
        answer = error
    headers = {"Content-Type": answer.headers["Content-Type"].encode()}
    return Response(request.url, answer.status, headers, answer.read())


waiting = spider.start()
with open(options.o, "w", encoding="utf-8") as output:
    while waiting:
        request = waiting.pop(0)
        replaced = next(filter(None, (one.process_request(request) for one in middlewares)), None)
        if replaced is not None:
            waiting.insert(0, replaced)
            continue
        response = download(request)
        for middleware in reversed(middlewares):
            response = middleware.process_response(request, response)
        if response.status != 200:
            print(f"Ignoring response <{response.status} {response.url}>", file=sys.stderr)
            continue
        for result in (request.callback or spider.parse)(response):
            if isinstance(result, dict):
                output.write(json.dumps(result) + "\n")
            else:
                waiting.append(result)
