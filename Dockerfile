# syntax=docker/dockerfile:1
# The release workflow passes the tag with its digest.
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Removes the Node from npm, because the image has its own.
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/node-linux-*

FROM ${NODE_IMAGE}
# Two malloc arenas save memory: by default, threads that come and go leave many arenas behind.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data MALLOC_ARENA_MAX=2 NODE_COMPILE_CACHE=/var/cache/node
WORKDIR /app
# bubblewrap isolates the decoders of pictures and PDFs. docs/self-hosting.md says what the container must allow for it.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o node -g node /data /var/cache/node
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/contracts ./contracts
COPY --from=build /app/command-line ./command-line
COPY --from=build /app/operator ./operator
COPY --from=build /app/server ./server
COPY --from=build /app/dist ./dist
USER node
# Each container starts with compiled code. Node writes it when this start ends, because no port is called none.
RUN PORT=none node server/main.ts || test -n "$(ls /var/cache/node)"
VOLUME /data
EXPOSE 3000
# The start period covers migrations, which run before the server listens.
HEALTHCHECK --start-period=10m --interval=15s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The server is process 1, so it receives SIGTERM and lets running requests finish.
CMD ["node", "--max-semi-space-size=8", "server/main.ts"]
