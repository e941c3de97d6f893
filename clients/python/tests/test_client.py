"""Tests of the client against HTTP servers on loopback."""

from __future__ import annotations

import json
import math
import threading
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from winnow import (
    Winnow,
    WinnowApiError,
    WinnowConnectionError,
    WinnowProtocolError,
    WinnowTimeoutError,
)

Answer = tuple[int, dict[str, str], str | bytes]
PAGE = {"extract": {"url": "https://example.com/"}}


def error_body(code: str) -> str:
    return json.dumps({"request_id": "r", "error": {"code": code, "stage": "auth", "message": "later"}})


class ClientTest(unittest.TestCase):
    def serve(self, answer: Callable[[str, str, dict[str, str], str], Answer | None]) -> str:
        """Starts a server; `answer` takes method, path, headers and body, and returns None to close the connection."""

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                length = int(self.headers.get("content-length", 0))
                body = self.rfile.read(length).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = answer(self.command, self.path, headers, body)
                if reply is None:
                    self.close_connection = True
                    return
                status, reply_headers, text = reply
                content = text if isinstance(text, bytes) else text.encode()
                self.send_response(status)
                for name, value in reply_headers.items():
                    self.send_header(name, value)
                if "content-length" not in reply_headers:
                    self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = handle_any

            def log_message(self, *_args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}/base/"

    def client(self, answer: Callable[[str, str, dict[str, str], str], Answer | None], **options: object) -> Winnow:
        return Winnow(self.serve(answer), "wk_test", project_id="prj_1", **options)

    def test_sends_the_body_the_key_and_the_project(self) -> None:
        seen: list[tuple[str, str, dict[str, str], str]] = []

        def answer(*call: object) -> Answer:
            seen.append(call)
            return 200, {}, '{"request_id":"req_1","result":{"title":"T"}}'

        client = self.client(answer)
        page = client.extract("https://example.com/", request_id="mine-1")
        self.assertEqual(page["result"]["title"], "T")
        method, path, headers, body = seen[0]
        self.assertEqual((method, path), ("POST", "/base/v1/extract"))
        self.assertEqual(headers["x-api-key"], "wk_test")
        self.assertEqual(headers["x-project-id"], "prj_1")
        self.assertEqual(headers["x-request-id"], "mine-1")
        self.assertEqual(json.loads(body), PAGE)

    def test_extracts_several_pages_in_their_order_with_the_errors_of_single_ones(self) -> None:
        paths: list[str] = []

        def answer(_method: str, path: str, _headers: dict[str, str], body: str) -> Answer:
            paths.append(path)
            url = json.loads(body)["extract"]["url"]
            return (502, {}, error_body("dns_failed")) if url == "/2" else (200, {}, json.dumps({"result": {"title": url}}))

        client = Winnow(self.serve(answer) + "v1", "wk_test")
        outcomes = list(client.extract_many(["/1", "/2", "/3"], concurrency=2))
        self.assertEqual([request for request, _ in outcomes], ["/1", "/2", "/3"])
        titles = [one.code if isinstance(one, WinnowApiError) else one["result"]["title"] for _, one in outcomes]
        self.assertEqual(titles, ["/1", "dns_failed", "/3"])
        self.assertEqual(set(paths), {"/base/v1/extract"})

    def test_an_error_of_the_service_becomes_an_exception_with_its_fields(self) -> None:
        error = {
            "code": "http_status_not_ok",
            "stage": "fetch",
            "message": "the site answered 404",
            "upstream_status_code": 404,
            "retryable": False,
        }
        text = json.dumps({"request_id": "req_2", "error": error, "metadata": {"dom_id": "dom_9"}, "trace": []})
        client = self.client(lambda *_call: (502, {}, text))
        with self.assertRaises(WinnowApiError) as caught:
            client.dump("https://example.com/")
        raised = caught.exception
        self.assertEqual((raised.status, raised.code, raised.stage), (502, "http_status_not_ok", "fetch"))
        self.assertEqual((raised.request_id, raised.dom_id, raised.trace), ("req_2", "dom_9", []))
        self.assertEqual((raised.upstream_status_code, raised.retryable), (404, False))

    def test_gives_a_screenshot_and_an_mhtml_file_as_bytes_and_the_error_of_one_that_is_not_there(self) -> None:
        def answer(_method: str, path: str, _headers: dict[str, str], _body: str) -> Answer:
            if path.endswith(("/v1/snapshots/dom_9/screenshot", "/v1/snapshots/dom_9/mhtml")):
                return 200, {"content-type": "image/webp"}, b"RIFF\xff\x00"
            return 404, {}, error_body("not_found")

        client = Winnow(self.serve(answer), api_key="wk_test")
        self.assertEqual(client.screenshot("dom_9"), b"RIFF\xff\x00")
        self.assertEqual(client.mhtml("dom_9"), b"RIFF\xff\x00")
        with self.assertRaises(WinnowApiError) as caught:
            client.screenshot("dom/1")
        self.assertEqual(caught.exception.code, "not_found")

    def test_repeats_after_429_and_503_and_not_after_other_errors(self) -> None:
        statuses = [429, 503, 200, 500]
        calls: list[str] = []

        def answer(_method: str, path: str, *_rest: object) -> Answer:
            status = statuses[len(calls)]
            calls.append(path)
            body = '{"request_id":"r"}' if status == 200 else error_body("internal" if status == 500 else "overloaded")
            return status, {"retry-after": "0"}, body

        client = self.client(answer)
        client.extract(PAGE)
        self.assertEqual(len(calls), 3)
        with self.assertRaises(WinnowApiError):
            client.extract(PAGE)
        self.assertEqual(len(calls), 4)

    def test_raises_at_once_when_the_wait_is_too_long_or_does_not_fit_the_time_limit(self) -> None:
        calls: list[str] = []

        def answer(_method: str, path: str, *_rest: object) -> Answer:
            calls.append(path)
            return 429, {"retry-after": "20"}, error_body("rate_limited")

        address = self.serve(answer)
        for options in ({"max_retry_wait": 5.0}, {"timeout": 10.0}, {"max_retries": 0}):
            with self.subTest(options), self.assertRaises(WinnowApiError) as caught:
                Winnow(address, "wk_test", **options).extract(PAGE)
            self.assertEqual(caught.exception.retry_after, 20.0)
        self.assertEqual(len(calls), 3)

    def test_ends_at_the_time_limit(self) -> None:
        left = threading.Event()
        self.addCleanup(left.set)

        def hang(*_call: object) -> None:
            left.wait()

        with self.assertRaises(WinnowTimeoutError):
            self.client(hang).extract(PAGE, timeout=0.05)

    def test_tells_a_wrong_address_from_a_broken_connection(self) -> None:
        with self.assertRaisesRegex(WinnowProtocolError, "base_url"):
            self.client(lambda *_call: (200, {"content-type": "text/html"}, "<h1>Another service</h1>")).extract(PAGE)
        with self.assertRaises(WinnowProtocolError):
            self.client(lambda *_call: (400, {}, '{"error":"nope"}')).extract(PAGE)
        with self.assertRaises(WinnowConnectionError):
            self.client(lambda *_call: None).extract(PAGE)
        with self.assertRaises(WinnowConnectionError):
            self.client(lambda *_call: (200, {"content-length": "500"}, '{"request_id":"r"}')).extract(PAGE)

    def test_follows_no_redirect(self) -> None:
        reached: list[str] = []
        other = self.serve(lambda _method, path, *_rest: (reached.append(path), (200, {}, "{}"))[1])
        with self.assertRaises(WinnowProtocolError):
            self.client(lambda *_call: (307, {"location": other}, "")).extract(PAGE)
        self.assertEqual(reached, [])

    def test_ready_takes_503_as_an_answer(self) -> None:
        body = '{"request_id":"r","status":"not_ready","checks":{}}'
        client = self.client(lambda *_call: (503, {}, body))
        self.assertEqual(client.ready()["status"], "not_ready")

    def test_refuses_options_that_cannot_work(self) -> None:
        for arguments, name in (
            (("winnow.example.com", "k"), "base_url"),
            (("ftp://winnow.example.com", "k"), "base_url"),
            (("http://127.0.0.1", ""), "api_key"),
            (("http://127.0.0.1", None), "api_key"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(ValueError, name):
                Winnow(*arguments)
        with self.assertRaisesRegex(ValueError, "project_id"):
            Winnow("http://127.0.0.1", "k", project_id="a\nb")

    def test_creates_a_batch_waits_for_it_and_reads_its_results_page_by_page(self) -> None:
        seen: list[str] = []
        states = ["running", "running", "completed"]

        def answer(method: str, path: str, headers: dict[str, str], _body: str) -> Answer:
            seen.append(f"{method} {path}")
            if "/results" in path:
                after = int(path.split("after=")[1]) if "after=" in path else -1
                lines = [json.dumps({"index": after + 1 + step}) for step in range(200 if after < 0 else 3)]
                return 200, {}, "".join(f"{line}\n" for line in lines)
            if method == "POST":
                self.assertEqual(headers.get("idempotency-key"), None if "cancel" in path else "order-1")
            state = states.pop(0) if method == "GET" else "running"
            counts = {"queued": int(state == "running"), "running": 0, "done": 0, "failed": 0, "cancelled": 0}
            batch = {"id": "bat_1", "state": state, "total": 1, "counts": counts}
            return 200, {}, json.dumps({"request_id": "r", "batch": batch})

        client = self.client(answer)
        batch = client.create_batch({"urls": ["https://example.com/"]}, idempotency_key="order-1")
        self.assertEqual(batch["id"], "bat_1")
        self.assertEqual(client.wait_for_batch("bat_1", poll_interval=0)["state"], "completed")
        self.assertEqual([line["index"] for line in client.batch_results("bat_1")], list(range(203)))
        self.assertEqual(client.cancel_batch("bat_1")["state"], "running")
        self.assertEqual(client.create_crawl("https://example.com/", idempotency_key="order-1")["id"], "bat_1")
        self.assertEqual(seen.pop(), "POST /base/v1/crawls")
        self.assertEqual(client.cancel_crawl("bat_1")["state"], "running")
        self.assertEqual(len(list(client.crawl_results("bat_1", after=7))), 3)
        client.delete_crawl("bat_1")
        states.append("running")
        self.assertEqual(client.crawl("bat_1")["id"], "bat_1")
        crawls = [seen.pop() for _ in range(4)]
        self.assertEqual(
            crawls[::-1],
            [
                "POST /base/v1/crawls/bat_1/cancel",
                "GET /base/v1/crawls/bat_1/results?limit=200&after=7",
                "DELETE /base/v1/crawls/bat_1",
                "GET /base/v1/crawls/bat_1",
            ],
        )
        self.assertEqual(
            seen[-3:],
            [
                "GET /base/v1/batches/bat_1/results?limit=200",
                "GET /base/v1/batches/bat_1/results?limit=200&after=199",
                "POST /base/v1/batches/bat_1/cancel",
            ],
        )

    def test_wait_for_batch_raises_when_its_time_ends(self) -> None:
        counts = {"queued": 3, "running": 1, "done": 1, "failed": 0, "cancelled": 0}
        batch = {"id": "bat_1", "state": "running", "total": 5, "counts": counts}
        client = self.client(lambda *_call: (200, {}, json.dumps({"request_id": "r", "batch": batch})))
        with self.assertRaisesRegex(WinnowTimeoutError, "1 of 5 items"):
            client.wait_for_batch("bat_1", timeout=0, poll_interval=1)

    def test_no_time_limit_is_a_choice(self) -> None:
        client = self.client(lambda *_call: (200, {}, '{"request_id":"r","status":"ok"}'), timeout=math.inf)
        self.assertEqual(client.health()["status"], "ok")


if __name__ == "__main__":
    unittest.main()
