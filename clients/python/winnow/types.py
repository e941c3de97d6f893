"""Types of the requests and responses, generated from the OpenAPI document. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ExtractRequestExtractMarkdown(TypedDict):
    """Style of result.markdown and result.chunks."""

    links: NotRequired[Literal["keep", "text", "references"]]
    images: NotRequired[Literal["keep", "alt", "none"]]
    title: NotRequired[bool]


class ExtractRequestExtractFieldsItem(TypedDict):
    name: str
    selector: str
    attribute: NotRequired[str]
    type: NotRequired[Literal["text", "number", "date", "url"]]
    all: NotRequired[bool]


class ExtractRequestExtractChunks(TypedDict):
    """Adds result.chunks: the Markdown divided at its headings; long sections are divided further. An empty object uses the default length."""

    max_characters: NotRequired[int]


class ExtractRequestExtractOptionsCookiesItem(TypedDict):
    name: str
    value: str
    domain: NotRequired[str]
    path: NotRequired[str]
    secure: NotRequired[bool]


class ExtractRequestExtractOptionsScroll(TypedDict):
    """How far a browser scrolls through the page and its inner lists, which may load more as they are scrolled. Default: `stable` takes at most 60 steps in at most 8 seconds, other engines do not scroll. With the option every browser engine scrolls, as long as `timeout_ms` lasts. Not with the engine http; auto then takes the engine `stable`. The stage `fetch` of the trace says how far it came."""

    max_steps: int
    max_items: NotRequired[int]


class ExtractRequestExtractOptions(TypedDict):
    """How the page is captured; the same object as in a dump. With dom_id all are checked, and only include_tags and exclude_tags have an effect."""

    timeout_ms: NotRequired[int]
    accept_language: NotRequired[str]
    locale: NotRequired[str]
    timezone: NotRequired[str]
    headers: NotRequired[dict[str, str]]
    cookies: NotRequired[list[ExtractRequestExtractOptionsCookiesItem]]
    user_agent: NotRequired[str]
    device: NotRequired[Literal["desktop", "mobile"]]
    wait_for: NotRequired[str | int]
    consent: NotRequired[Literal["hide", "ignore", "reject", "accept"]]
    scroll: NotRequired[ExtractRequestExtractOptionsScroll]
    proxy: NotRequired[str]
    block: NotRequired[list[Literal["images", "fonts", "media", "styles"]]]
    screenshot: NotRequired[Literal["viewport", "full_page"]]
    screenshot_format: NotRequired[Literal["webp", "png"]]
    mhtml: NotRequired[bool]
    include_tags: NotRequired[list[str]]
    exclude_tags: NotRequired[list[str]]
    engine_preference: NotRequired[Literal["auto", "http", "chrome", "chrome_cdp", "vendor_lite", "vendor_dcl", "vendor_dom", "stable", "vendor_domstable"]]
    filter_scripts_styles: NotRequired[bool]


class ExtractRequestExtract(TypedDict):
    """Main extraction request. At least one of url and dom_id is required."""

    url: NotRequired[str]
    dom_id: NotRequired[str]
    formats: NotRequired[list[Literal["markdown", "html", "stated"]]]
    favor: NotRequired[Literal["precision", "balanced", "recall"]]
    hidden_text: NotRequired[Literal["drop", "keep"]]
    markdown: NotRequired[ExtractRequestExtractMarkdown]
    fields: NotRequired[list[ExtractRequestExtractFieldsItem]]
    chunks: NotRequired[ExtractRequestExtractChunks]
    options: NotRequired[ExtractRequestExtractOptions]


class ExtractRequestTrace(TypedDict):
    """Further parts of the response. Each enlarges it."""

    include_steps: NotRequired[bool]
    include_raw_dom: NotRequired[bool]


class ExtractRequestWorkflow(TypedDict):
    """Time limits of stages, for standalone keys. With a project key it is validated but ignored."""

    match_timeout_ms: NotRequired[int]
    generate_timeout_ms: NotRequired[int]
    extract_timeout_ms: NotRequired[int]


class ExtractRequest(TypedDict):
    """Body of POST /v1/extract."""

    extract: ExtractRequestExtract
    trace: NotRequired[ExtractRequestTrace]
    workflow: NotRequired[ExtractRequestWorkflow]


class Link(TypedDict):
    """A link of the page."""

    url: str
    text: str
    rel: str | None
    internal: bool
    in_main: bool


class Image(TypedDict):
    """An image of the page."""

    url: str
    alt: str | None
    width: int | None
    height: int | None
    in_main: bool


class StatedRating(TypedDict):
    """Rating of a product, as the page states it."""

    value: float
    best: float | None
    count: float | None


class StatedProduct(TypedDict):
    """The product that the page is about, from JSON-LD, microdata and metadata, in this order for each field."""

    name: str | None
    brand: str | None
    sku: str | None
    gtin: str | None
    mpn: str | None
    price: str | None
    high_price: str | None
    currency: str | None
    availability: str | None
    rating: StatedRating | None


class StatedData(TypedDict):
    """With extract.formats: what the page states about itself in metadata, JSON-LD and microdata. A value that the page does not state is null or empty. Pages can state untrue values."""

    canonical: str | None
    site_name: str | None
    image: str | None
    modified_time: str | None
    keywords: list[str]
    section: str | None
    is_accessible_for_free: bool | None
    product: StatedProduct | None
    json_ld: list[dict[str, Any]]
    microdata: list[dict[str, Any]]
    truncated: bool


class Chunk(TypedDict):
    """A part of the Markdown."""

    heading_path: list[str]
    text: str


class ExtractResult(TypedDict):
    """Content extracted from the page."""

    url: str | None
    final_url: str
    status_code: int
    title: str | None
    description: str | None
    main_text: str
    publish_time: str | None
    author: str | None
    language: str | None
    links: list[Link]
    images: list[Image]
    engine: str
    dom_id: str
    template_id: str
    markdown: NotRequired[str]
    html: NotRequired[str]
    stated: NotRequired[StatedData]
    chunks: NotRequired[list[Chunk]]
    fields: NotRequired[dict[str, str | float | list[str | float] | None]]


class Warning(TypedDict):
    """A reason to doubt an answer that succeeded."""

    code: Literal["login_wall", "paywall", "consent_wall", "soft_404", "challenge_page", "unrendered_shell", "near_empty_page", "waiting_room", "age_gate", "continues_on_scroll", "continues_on_click", "field_failed"]
    message: str


class Screenshot(TypedDict):
    """A picture of a captured page."""

    url: str
    media_type: str
    width: int
    height: int
    bytes: int
    cut: bool


class Mhtml(TypedDict):
    """A captured page with its pictures, styles and frames in one file (RFC 2557)."""

    url: str
    media_type: str
    bytes: int


class ExtractMetadata(TypedDict):
    """Metadata of the extraction."""

    dom_id: str
    template_id: str
    server_elapsed_ms: int
    engine: str
    fetched_at: str
    page_type: Literal["article", "forum", "product", "collection", "listing", "documentation", "service"]
    confidence: float
    token_estimate: int
    warnings: list[Warning]
    partial: NotRequired[Literal[True]]
    cached: NotRequired[Literal[True]]
    screenshot: NotRequired[Screenshot | None]
    mhtml: NotRequired[Mhtml | None]


class RequestDetailsSitemaps(TypedDict):
    """The sitemaps of a map."""

    read: int
    failed: int
    bytes: int
    is_cut: bool


class RequestDetailsPagesItem(TypedDict):
    url: str
    dom_id: NotRequired[str]
    error: NotRequired[str]


class RequestDetails(TypedDict):
    """The request, and how long it waited."""

    body_bytes: NotRequired[int]
    variant: NotRequired[Literal["A", "B"]]
    ignored: NotRequired[Literal["workflow"]]
    reduced: NotRequired[dict[str, int]]
    tool: NotRequired[str]
    queued_ms: NotRequired[float]
    sitemaps: NotRequired[RequestDetailsSitemaps]
    pages: NotRequired[list[RequestDetailsPagesItem]]
    used_bytes: NotRequired[int]
    quota_bytes: NotRequired[int]
    reason: NotRequired[str]
    error: NotRequired[str]
    message: NotRequired[str]


class RequestStep(TypedDict):
    """The step of stage request."""

    stage: Literal["request"]
    status: Literal["ok", "failed", "skipped"]
    started_ms: int
    elapsed_ms: int
    detail: RequestDetails


class AuthDetails(TypedDict):
    """The key of the request and its project."""

    key_id: NotRequired[str]
    key_kind: NotRequired[Literal["project", "key_only"]]
    project_id: NotRequired[str]
    reason: NotRequired[str]
    error: NotRequired[str]
    message: NotRequired[str]


class AuthStep(TypedDict):
    """The step of stage auth."""

    stage: Literal["auth"]
    status: Literal["ok", "failed", "skipped"]
    started_ms: int
    elapsed_ms: int
    detail: AuthDetails


class FetchDetailsOptionsScroll(TypedDict):
    """How far a browser scrolls through the page and its inner lists, which may load more as they are scrolled. Default: `stable` takes at most 60 steps in at most 8 seconds, other engines do not scroll. With the option every browser engine scrolls, as long as `timeout_ms` lasts. Not with the engine http; auto then takes the engine `stable`. The stage `fetch` of the trace says how far it came."""

    max_steps: int
    max_items: NotRequired[int]


class FetchDetailsOptions(TypedDict):
    """Options of the request; secrets by name only."""

    accept_language: NotRequired[str]
    locale: NotRequired[str]
    timezone: NotRequired[str]
    user_agent: NotRequired[str]
    device: NotRequired[Literal["desktop", "mobile"]]
    wait_for: NotRequired[str | int]
    consent: NotRequired[Literal["hide", "ignore", "reject", "accept"]]
    scroll: NotRequired[FetchDetailsOptionsScroll]
    proxy: NotRequired[str]
    block: NotRequired[list[Literal["images", "fonts", "media", "styles"]]]
    screenshot: NotRequired[Literal["viewport", "full_page"]]
    screenshot_format: NotRequired[Literal["webp", "png"]]
    mhtml: NotRequired[bool]
    headers: NotRequired[list[str]]
    cookies: NotRequired[list[str]]


class Redirect(TypedDict):
    """One redirect on the way to the page."""

    url: str
    status_code: int


class FetchDetailsBlockedRequestsItem(TypedDict):
    url: str
    reason: str


class ScrollDetails(TypedDict):
    """How far a browser scrolled."""

    steps: int
    outcome: Literal["end", "max_steps", "max_items", "out_of_time"]
    items: NotRequired[int]
    restored_rows: NotRequired[int]


class ConsentDetails(TypedDict):
    """What a browser did with dialogs that ask for consent to cookies."""

    action: Literal["hide", "ignore", "reject", "accept"]
    outcome: Literal["not_found", "hidden", "answered", "still_shown", "left", "failed", "out_of_time"]
    cmp: str | None
    hidden: int


class EngineAttempt(TypedDict):
    """One attempt of an engine to capture the page."""

    engine: str
    outcome: Literal["captured", "rejected", "failed"]
    reason: str | None
    error_code: Literal["invalid_request", "url_not_allowed", "unauthorized", "forbidden", "storage_quota_exceeded", "not_found", "method_not_allowed", "dom_not_found", "conflict", "payload_too_large", "no_template_matched", "match_timeout", "generate_timeout", "extract_timeout", "template_generation_failed", "validation_failed", "unsupported_content", "rate_limited", "http_status_not_ok", "fetch_blocked", "out_of_scope", "robots_disallowed", "fetch_timeout", "dns_failed", "connect_failed", "tls_failed", "too_many_redirects", "response_too_large", "egress_denied", "not_cached", "render_failed", "engine_unavailable", "overloaded", "internal"] | None
    elapsed_ms: int


class FetchDetails(TypedDict):
    """How the page was captured."""

    preference: NotRequired[str]
    budget_ms: NotRequired[int]
    options: NotRequired[FetchDetailsOptions]
    engine: NotRequired[str]
    final_url: NotRequired[str]
    status_code: NotRequired[int]
    redirects: NotRequired[list[Redirect]]
    content_type: NotRequired[str | None]
    charset: NotRequired[str | None]
    protocol: NotRequired[str | None]
    transfer_bytes: NotRequired[int | None]
    body_bytes: NotRequired[int | None]
    timings: NotRequired[dict[str, float]]
    blocked_requests: NotRequired[list[FetchDetailsBlockedRequestsItem]]
    partial: NotRequired[bool]
    scroll: NotRequired[ScrollDetails]
    consent: NotRequired[ConsentDetails]
    engine_attempts: NotRequired[list[EngineAttempt]]
    reason: NotRequired[str]
    error: NotRequired[str]
    message: NotRequired[str]


class FetchStep(TypedDict):
    """The step of stage fetch."""

    stage: Literal["fetch"]
    status: Literal["ok", "failed", "skipped"]
    started_ms: int
    elapsed_ms: int
    detail: FetchDetails


class SnapshotDetails(TypedDict):
    """Where the page is stored."""

    dom_id: NotRequired[str]
    source: NotRequired[Literal["fetched", "stored", "uploaded", "reused"]]
    bytes: NotRequired[int]
    stored_bytes: NotRequired[int]
    filtered: NotRequired[bool]
    screenshot_bytes: NotRequired[int]
    mhtml_bytes: NotRequired[int]
    fetched_at: NotRequired[str]
    reason: NotRequired[str]
    error: NotRequired[str]
    message: NotRequired[str]


class SnapshotStep(TypedDict):
    """The step of stage snapshot."""

    stage: Literal["snapshot"]
    status: Literal["ok", "failed", "skipped"]
    started_ms: int
    elapsed_ms: int
    detail: SnapshotDetails


class MatchDetailsCandidatesItem(TypedDict):
    template_id: str
    score: float
    reason: str


class MatchDetails(TypedDict):
    """Which template fits the page."""

    template_id: NotRequired[str]
    candidates: NotRequired[list[MatchDetailsCandidatesItem]]
    reason: NotRequired[str]
    error: NotRequired[str]
    message: NotRequired[str]


class MatchStep(TypedDict):
    """The step of stage match."""

    stage: Literal["match"]
    status: Literal["ok", "failed", "skipped"]
    started_ms: int
    elapsed_ms: int
    detail: MatchDetails


class GenerateDetails(TypedDict):
    """Which evidence of the site was built for the page."""

    reason: NotRequired[str]
    error: NotRequired[str]
    message: NotRequired[str]
    template_id: NotRequired[str | None]
    pages: NotRequired[int]


class GenerateStep(TypedDict):
    """The step of stage generate."""

    stage: Literal["generate"]
    status: Literal["ok", "failed", "skipped"]
    started_ms: int
    elapsed_ms: int
    detail: GenerateDetails


class ExtractDetailsFieldsValueRivalsItem(TypedDict):
    source: str
    value: str
    reason: str


class ExtractDetailsFieldsValue(TypedDict):
    source: str | None
    rivals: list[ExtractDetailsFieldsValueRivalsItem]


class ExtractDetails(TypedDict):
    """How the content was found."""

    template_id: NotRequired[str]
    fallback: NotRequired[str]
    main_text_source: NotRequired[str]
    from_generic: NotRequired[dict[str, str]]
    page_type: NotRequired[str]
    confidence: NotRequired[float]
    warnings: NotRequired[list[Literal["login_wall", "paywall", "consent_wall", "soft_404", "challenge_page", "unrendered_shell", "near_empty_page", "waiting_room", "age_gate", "continues_on_scroll", "continues_on_click", "field_failed"]]]
    fields: NotRequired[dict[str, ExtractDetailsFieldsValue]]
    reason: NotRequired[str]
    error: NotRequired[str]
    message: NotRequired[str]


class ExtractStep(TypedDict):
    """The step of stage extract."""

    stage: Literal["extract"]
    status: Literal["ok", "failed", "skipped"]
    started_ms: int
    elapsed_ms: int
    detail: ExtractDetails


class ValidateDetails(TypedDict):
    """How the output was checked."""

    checked: NotRequired[list[str]]
    links_left_out: NotRequired[int]
    images_left_out: NotRequired[int]
    reason: NotRequired[str]
    error: NotRequired[str]
    message: NotRequired[str]


class ValidateStep(TypedDict):
    """The step of stage validate."""

    stage: Literal["validate"]
    status: Literal["ok", "failed", "skipped"]
    started_ms: int
    elapsed_ms: int
    detail: ValidateDetails


TraceStep = RequestStep | AuthStep | FetchStep | SnapshotStep | MatchStep | GenerateStep | ExtractStep | ValidateStep


class ExtractResponse(TypedDict):
    """Answer of POST /v1/extract."""

    request_id: str
    template_id: str
    result: ExtractResult
    metadata: ExtractMetadata
    trace: NotRequired[list[TraceStep]]
    raw_dom: NotRequired[str]


class DumpRequestOptionsCookiesItem(TypedDict):
    name: str
    value: str
    domain: NotRequired[str]
    path: NotRequired[str]
    secure: NotRequired[bool]


class DumpRequestOptionsScroll(TypedDict):
    """How far a browser scrolls through the page and its inner lists, which may load more as they are scrolled. Default: `stable` takes at most 60 steps in at most 8 seconds, other engines do not scroll. With the option every browser engine scrolls, as long as `timeout_ms` lasts. Not with the engine http; auto then takes the engine `stable`. The stage `fetch` of the trace says how far it came."""

    max_steps: int
    max_items: NotRequired[int]


class DumpRequestOptions(TypedDict):
    """How the page is captured."""

    timeout_ms: NotRequired[int]
    accept_language: NotRequired[str]
    locale: NotRequired[str]
    timezone: NotRequired[str]
    headers: NotRequired[dict[str, str]]
    cookies: NotRequired[list[DumpRequestOptionsCookiesItem]]
    user_agent: NotRequired[str]
    device: NotRequired[Literal["desktop", "mobile"]]
    wait_for: NotRequired[str | int]
    consent: NotRequired[Literal["hide", "ignore", "reject", "accept"]]
    scroll: NotRequired[DumpRequestOptionsScroll]
    proxy: NotRequired[str]
    block: NotRequired[list[Literal["images", "fonts", "media", "styles"]]]
    screenshot: NotRequired[Literal["viewport", "full_page"]]
    screenshot_format: NotRequired[Literal["webp", "png"]]
    mhtml: NotRequired[bool]
    include_tags: NotRequired[list[str]]
    exclude_tags: NotRequired[list[str]]
    engine_preference: NotRequired[Literal["auto", "http", "chrome", "chrome_cdp", "vendor_lite", "vendor_dcl", "vendor_dom", "stable", "vendor_domstable"]]
    filter_scripts_styles: NotRequired[bool]


class DumpRequest(TypedDict):
    """Body of POST /v1/dom/dump."""

    url: str
    options: NotRequired[DumpRequestOptions]


class DumpDebugBlockedRequestsItem(TypedDict):
    url: str
    reason: str


class DumpDebug(TypedDict):
    """How the page was captured."""

    engine_attempts: list[EngineAttempt]
    redirects: list[Redirect]
    content_type: str | None
    charset: str | None
    protocol: str | None
    transfer_bytes: int | None
    body_bytes: int | None
    html_bytes: int
    stored_bytes: int
    timings: dict[str, float]
    blocked_requests: list[DumpDebugBlockedRequestsItem]
    partial: bool
    filtered: bool
    cached: NotRequired[Literal[True]]


class DumpResponse(TypedDict):
    """Answer of POST /v1/dom/dump."""

    request_id: str
    url: str
    final_url: str
    status_code: int
    fetched_at: str
    engine: str
    dom_id: str
    html: str
    screenshot: NotRequired[Screenshot | None]
    mhtml: NotRequired[Mhtml | None]
    debug: DumpDebug


class SnapshotRequest(TypedDict):
    """Body of POST /v1/snapshots."""

    url: str
    html: str
    content_language: NotRequired[str]


class CreateSnapshotResponse(TypedDict):
    """Answer of POST /v1/snapshots."""

    request_id: str
    dom_id: str
    url: str
    fetched_at: str
    html_bytes: int
    stored_bytes: int


class BatchRequestMarkdown(TypedDict):
    """Style of result.markdown and result.chunks."""

    links: NotRequired[Literal["keep", "text", "references"]]
    images: NotRequired[Literal["keep", "alt", "none"]]
    title: NotRequired[bool]


class BatchRequestFieldsItem(TypedDict):
    name: str
    selector: str
    attribute: NotRequired[str]
    type: NotRequired[Literal["text", "number", "date", "url"]]
    all: NotRequired[bool]


class BatchRequestChunks(TypedDict):
    """Adds result.chunks: the Markdown divided at its headings; long sections are divided further. An empty object uses the default length."""

    max_characters: NotRequired[int]


class BatchRequestOptionsCookiesItem(TypedDict):
    name: str
    value: str
    domain: NotRequired[str]
    path: NotRequired[str]
    secure: NotRequired[bool]


class BatchRequestOptionsScroll(TypedDict):
    """How far a browser scrolls through the page and its inner lists, which may load more as they are scrolled. Default: `stable` takes at most 60 steps in at most 8 seconds, other engines do not scroll. With the option every browser engine scrolls, as long as `timeout_ms` lasts. Not with the engine http; auto then takes the engine `stable`. The stage `fetch` of the trace says how far it came."""

    max_steps: int
    max_items: NotRequired[int]


class BatchRequestOptions(TypedDict):
    """How the pages are captured; the same object as in a dump. With headers or cookies all urls must be of one site."""

    timeout_ms: NotRequired[int]
    accept_language: NotRequired[str]
    locale: NotRequired[str]
    timezone: NotRequired[str]
    headers: NotRequired[dict[str, str]]
    cookies: NotRequired[list[BatchRequestOptionsCookiesItem]]
    user_agent: NotRequired[str]
    device: NotRequired[Literal["desktop", "mobile"]]
    wait_for: NotRequired[str | int]
    consent: NotRequired[Literal["hide", "ignore", "reject", "accept"]]
    scroll: NotRequired[BatchRequestOptionsScroll]
    proxy: NotRequired[str]
    block: NotRequired[list[Literal["images", "fonts", "media", "styles"]]]
    screenshot: NotRequired[Literal["viewport", "full_page"]]
    screenshot_format: NotRequired[Literal["webp", "png"]]
    mhtml: NotRequired[bool]
    include_tags: NotRequired[list[str]]
    exclude_tags: NotRequired[list[str]]
    engine_preference: NotRequired[Literal["auto", "http", "chrome", "chrome_cdp", "vendor_lite", "vendor_dcl", "vendor_dom", "stable", "vendor_domstable"]]
    filter_scripts_styles: NotRequired[bool]


class BatchRequestWebhook(TypedDict):
    """A call to make when the batch has ended."""

    url: str
    secret: str


class BatchRequest(TypedDict):
    """Body of POST /v1/batches. At least one of urls and dom_ids is required."""

    urls: NotRequired[list[str]]
    dom_ids: NotRequired[list[str]]
    formats: NotRequired[list[Literal["markdown", "html", "stated"]]]
    favor: NotRequired[Literal["precision", "balanced", "recall"]]
    hidden_text: NotRequired[Literal["drop", "keep"]]
    markdown: NotRequired[BatchRequestMarkdown]
    fields: NotRequired[list[BatchRequestFieldsItem]]
    chunks: NotRequired[BatchRequestChunks]
    options: NotRequired[BatchRequestOptions]
    respect_robots: NotRequired[bool]
    webhook: NotRequired[BatchRequestWebhook]


class CrawlRequestMarkdown(TypedDict):
    """Style of result.markdown and result.chunks."""

    links: NotRequired[Literal["keep", "text", "references"]]
    images: NotRequired[Literal["keep", "alt", "none"]]
    title: NotRequired[bool]


class CrawlRequestFieldsItem(TypedDict):
    name: str
    selector: str
    attribute: NotRequired[str]
    type: NotRequired[Literal["text", "number", "date", "url"]]
    all: NotRequired[bool]


class CrawlRequestChunks(TypedDict):
    """Adds result.chunks: the Markdown divided at its headings; long sections are divided further. An empty object uses the default length."""

    max_characters: NotRequired[int]


class CrawlRequestOptionsCookiesItem(TypedDict):
    name: str
    value: str
    domain: NotRequired[str]
    path: NotRequired[str]
    secure: NotRequired[bool]


class CrawlRequestOptionsScroll(TypedDict):
    """How far a browser scrolls through the page and its inner lists, which may load more as they are scrolled. Default: `stable` takes at most 60 steps in at most 8 seconds, other engines do not scroll. With the option every browser engine scrolls, as long as `timeout_ms` lasts. Not with the engine http; auto then takes the engine `stable`. The stage `fetch` of the trace says how far it came."""

    max_steps: int
    max_items: NotRequired[int]


class CrawlRequestOptions(TypedDict):
    """How the pages are captured; the same object as in a dump. With headers or cookies all urls must be of one site."""

    timeout_ms: NotRequired[int]
    accept_language: NotRequired[str]
    locale: NotRequired[str]
    timezone: NotRequired[str]
    headers: NotRequired[dict[str, str]]
    cookies: NotRequired[list[CrawlRequestOptionsCookiesItem]]
    user_agent: NotRequired[str]
    device: NotRequired[Literal["desktop", "mobile"]]
    wait_for: NotRequired[str | int]
    consent: NotRequired[Literal["hide", "ignore", "reject", "accept"]]
    scroll: NotRequired[CrawlRequestOptionsScroll]
    proxy: NotRequired[str]
    block: NotRequired[list[Literal["images", "fonts", "media", "styles"]]]
    screenshot: NotRequired[Literal["viewport", "full_page"]]
    screenshot_format: NotRequired[Literal["webp", "png"]]
    mhtml: NotRequired[bool]
    include_tags: NotRequired[list[str]]
    exclude_tags: NotRequired[list[str]]
    engine_preference: NotRequired[Literal["auto", "http", "chrome", "chrome_cdp", "vendor_lite", "vendor_dcl", "vendor_dom", "stable", "vendor_domstable"]]
    filter_scripts_styles: NotRequired[bool]


class CrawlRequestWebhook(TypedDict):
    """A call to make when the batch has ended."""

    url: str
    secret: str


class CrawlRequest(TypedDict):
    """Body of POST /v1/crawls."""

    url: str
    limit: NotRequired[int]
    max_depth: NotRequired[int]
    include: NotRequired[list[str]]
    exclude: NotRequired[list[str]]
    scope: NotRequired[Literal["site", "host", "path"]]
    sitemap: NotRequired[Literal["include", "only", "skip"]]
    delay: NotRequired[float]
    since: NotRequired[str]
    formats: NotRequired[list[Literal["markdown", "html", "stated"]]]
    favor: NotRequired[Literal["precision", "balanced", "recall"]]
    hidden_text: NotRequired[Literal["drop", "keep"]]
    markdown: NotRequired[CrawlRequestMarkdown]
    fields: NotRequired[list[CrawlRequestFieldsItem]]
    chunks: NotRequired[CrawlRequestChunks]
    options: NotRequired[CrawlRequestOptions]
    respect_robots: NotRequired[bool]
    webhook: NotRequired[CrawlRequestWebhook]


class BatchCounts(TypedDict):
    """Items by their state; together they are the total."""

    queued: int
    running: int
    done: int
    failed: int
    cancelled: int


class BatchCrawlSkipped(TypedDict):
    """Links that were left out, by reason; a link counts once for each page that has it."""

    robots: int
    scope: int
    depth: int
    limit: int
    duplicate: int
    unread: int
    trap: int


class BatchCrawlChanges(TypedDict):
    new: int
    changed: int
    unchanged: int
    gone: int
    unknown: int


class BatchCrawl(TypedDict):
    url: str
    skipped: BatchCrawlSkipped
    since: str | None
    changes: BatchCrawlChanges | None


class BatchWebhook(TypedDict):
    url: str
    state: Literal["waiting", "delivered", "failed"]
    attempts: int


class Batch(TypedDict):
    """A batch and its progress."""

    id: str
    state: Literal["running", "completed", "cancelled"]
    total: int
    counts: BatchCounts
    kind: Literal["batch", "crawl"]
    crawl: BatchCrawl | None
    respect_robots: bool
    formats: list[Literal["markdown", "html", "stated"]]
    created_at: str
    finished_at: str | None
    webhook: BatchWebhook | None


class BatchLineChange(TypedDict):
    """What changed since the earlier crawl, in a crawl with `since`."""

    state: Literal["new", "changed", "unchanged", "gone", "unknown"]
    fetched_before: NotRequired[str]
    diff: NotRequired[str]
    diff_cut: NotRequired[bool]


class ErrorBody(TypedDict):
    """What failed, where, and whether another try helps."""

    code: Literal["invalid_request", "url_not_allowed", "unauthorized", "forbidden", "storage_quota_exceeded", "not_found", "method_not_allowed", "dom_not_found", "conflict", "payload_too_large", "no_template_matched", "match_timeout", "generate_timeout", "extract_timeout", "template_generation_failed", "validation_failed", "unsupported_content", "rate_limited", "http_status_not_ok", "fetch_blocked", "out_of_scope", "robots_disallowed", "fetch_timeout", "dns_failed", "connect_failed", "tls_failed", "too_many_redirects", "response_too_large", "egress_denied", "not_cached", "render_failed", "engine_unavailable", "overloaded", "internal"]
    message: str
    stage: Literal["request", "auth", "fetch", "snapshot", "match", "generate", "extract", "validate"]
    retryable: bool
    retry_after_ms: NotRequired[int]
    upstream_status_code: NotRequired[int]


class BatchLine(TypedDict):
    """Outcome of one item of a batch, one JSON object a line."""

    index: int
    url: NotRequired[str]
    dom_id: NotRequired[str]
    template_id: NotRequired[str]
    result: NotRequired[ExtractResult]
    metadata: NotRequired[ExtractMetadata]
    change: NotRequired[BatchLineChange]
    error: NotRequired[ErrorBody]


class DeletedResponse(TypedDict):
    """Answer of a deletion."""

    request_id: str
    deleted: str


class ErrorResponseMetadata(TypedDict):
    """When a snapshot was taken before the failure."""

    dom_id: str


class ErrorResponse(TypedDict):
    """Answer of a request that failed."""

    request_id: str
    error: ErrorBody
    metadata: NotRequired[ErrorResponseMetadata]
    trace: NotRequired[list[TraceStep]]
    raw_dom: NotRequired[str]


class HealthResponse(TypedDict):
    """Answer of GET /healthz."""

    request_id: str
    status: Literal["ok"]


class ReadyResponseChecksValue(TypedDict):
    ok: bool
    detail: str
    elapsed_ms: float


class ReadyResponse(TypedDict):
    """Answer of GET /readyz."""

    request_id: str
    status: Literal["ready", "not_ready"]
    checks: dict[str, ReadyResponseChecksValue]
