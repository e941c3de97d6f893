# The image holds a finished set-up: dependencies, Chromium, the console's build. Its command is the
# README's, `npm start`, which then finds nothing left to do.
FROM node:24-bookworm-slim

ENV NPM_CONFIG_UPDATE_NOTIFIER=false \
    NPM_CONFIG_LOGS_MAX=0 \
    NPM_CONFIG_CACHE=/tmp/.npm

WORKDIR /srv/winnow
COPY . .

# The set-up installs Chromium from Debian's packages because the build runs as root.
RUN node scripts/setup.mjs \
    && rm -rf /tmp/.npm /var/lib/apt/lists/* \
    && mkdir -p /var/lib/winnow \
    && chown node:node /var/lib/winnow

ENV WINNOW_HOST=0.0.0.0 \
    WINNOW_DATA_DIR=/var/lib/winnow
VOLUME /var/lib/winnow
EXPOSE 8080
USER node

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["npm", "start"]
