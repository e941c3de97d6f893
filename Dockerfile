# Three stages: the console's build, the dependencies of the service, and the image, which holds neither
# development tools nor tests nor a second Node.
FROM node:24-bookworm-slim AS console
WORKDIR /srv/winnow
COPY . .
# `npm ci` fails where package.json and the lock file differ, and checks the hash of every package.
RUN npm ci --no-audit --no-fund && WINNOW_CHROMIUM=none node scripts/setup.mjs

FROM node:24-bookworm-slim AS dependencies
WORKDIR /srv/winnow
COPY . .
RUN npm ci --omit=dev --no-audit --no-fund \
    -w packages/contract -w packages/extract -w packages/server
# Node needs no source maps, types, or sources that packages were compiled from.
RUN find node_modules -name '*.map' -delete \
    && find node_modules/ -path '*/src/*' -name '*.ts' -delete \
    && find node_modules/ \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24-bookworm-slim
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends chromium-headless-shell \
    # The headless shell renders in software: it loads neither drivers of graphics cards nor layers for debugging.
    && rm -rf /usr/lib/*/dri /usr/lib/*/libLLVM* /usr/lib/*/libz3.so* /usr/lib/chromium/libVkLayer_* /usr/lib/chromium/libVkICD_* \
    && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /var/lib/winnow \
    && chown node:node /var/lib/winnow \
    && printf '#!/bin/sh\nexec node /srv/winnow/packages/server/src/cli/winnow.ts "$@"\n' > /usr/local/bin/winnow \
    && chmod +x /usr/local/bin/winnow

WORKDIR /srv/winnow
COPY --from=dependencies /srv/winnow/node_modules node_modules
COPY --from=console /srv/winnow/packages/console/dist packages/console/dist
COPY package.json LICENSE ./
COPY packages/contract packages/contract
COPY packages/extract packages/extract
COPY packages/server packages/server

# The limits of glibc's allocator are those that `./winnow` sets, for the reasons given there.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=1048576 \
    NODE_COMPILE_CACHE=/tmp/winnow-compile-cache \
    WINNOW_HOST=0.0.0.0 \
    WINNOW_DATA_DIR=/var/lib/winnow
VOLUME /var/lib/winnow
EXPOSE 8080
USER node

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "packages/server/src/cli/winnow.ts", "serve"]
