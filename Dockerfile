# The service with what it needs to run and nothing else. docs/operations.md says how to build and run it.
ARG NODE_VERSION=24.21.0

# What is needed to compile, and what comes of it.
FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

# The packages that run. OMIT="--omit=dev --omit=optional" leaves out the offline voice and the embedded store. While
# package.json has devDependencies, npm also installs those that are optional peers of Nest, such as Express.
FROM node:${NODE_VERSION}-bookworm-slim AS packages
ARG OMIT="--omit=dev"
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm pkg delete devDependencies && npm ci ${OMIT} --ignore-scripts --no-audit --no-fund

# The model for speech recognition, with SPEECH=install. Otherwise an empty directory.
FROM packages AS models
ARG SPEECH=none
COPY --from=build /app/packages/media/dist packages/media/dist
COPY --from=build /app/packages/model-files/dist packages/model-files/dist
COPY --from=build /app/packages/models/dist packages/models/dist
COPY --from=build /app/packages/realtime/dist packages/realtime/dist
COPY --from=build /app/packages/knowledge/dist packages/knowledge/dist
COPY --from=build /app/packages/runtime/dist packages/runtime/dist
COPY --from=build /app/packages/settings/dist packages/settings/dist
COPY --from=build /app/packages/video/dist packages/video/dist
COPY --from=build /app/packages/webrtc/dist packages/webrtc/dist
COPY --from=build /app/packages/catalogue/dist packages/catalogue/dist
COPY --from=build /app/packages/command-line/dist packages/command-line/dist
COPY --from=build /app/packages/errors/dist packages/errors/dist
COPY --from=build /app/dist dist
RUN mkdir /models && if [ "$SPEECH" = install ]; then MODELS_DIR=/models node dist/cli.js speech install; fi

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="avatar-chat-service" \
      org.opencontainers.image.description="Self-hosted avatar chat: tokens, avatar configuration and per-user message history" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/home/node/data MODELS_DIR=/models
# Threads that come and go, as those of videos do, would otherwise leave memory behind in an arena of their own each.
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY packages/dialogue/package.json packages/dialogue/package.json
COPY --from=build /app/packages/dialogue/dist packages/dialogue/dist
COPY packages/embedded-mongo/package.json packages/embedded-mongo/package.json
COPY --from=build /app/packages/embedded-mongo/dist packages/embedded-mongo/dist
COPY packages/knowledge/package.json packages/knowledge/package.json
COPY --from=build /app/packages/knowledge/dist packages/knowledge/dist
COPY packages/media/package.json packages/media/package.json
COPY packages/media/assets packages/media/assets
COPY --from=build /app/packages/media/dist packages/media/dist
COPY packages/model-files/package.json packages/model-files/package.json
COPY packages/model-files/assets packages/model-files/assets
COPY --from=build /app/packages/model-files/dist packages/model-files/dist
COPY packages/models/package.json packages/models/package.json
COPY --from=build /app/packages/models/dist packages/models/dist
COPY packages/realtime/package.json packages/realtime/package.json
COPY --from=build /app/packages/realtime/dist packages/realtime/dist
COPY packages/runtime/package.json packages/runtime/package.json
COPY --from=build /app/packages/runtime/dist packages/runtime/dist
COPY packages/settings/package.json packages/settings/package.json
COPY --from=build /app/packages/settings/dist packages/settings/dist
COPY packages/video/package.json packages/video/package.json
COPY --from=build /app/packages/video/dist packages/video/dist
COPY packages/webrtc/package.json packages/webrtc/package.json
COPY --from=build /app/packages/webrtc/dist packages/webrtc/dist
COPY packages/catalogue/package.json packages/catalogue/package.json
COPY --from=build /app/packages/catalogue/dist packages/catalogue/dist
COPY packages/command-line/package.json packages/command-line/package.json
COPY --from=build /app/packages/command-line/dist packages/command-line/dist
COPY packages/errors/package.json packages/errors/package.json
COPY --from=build /app/packages/errors/dist packages/errors/dist
COPY --from=models --chown=1000:1000 /models /models
COPY assets assets
COPY catalogue catalogue
COPY scripts/health-check.mjs scripts/health-check.mjs
COPY --from=build /app/dist dist
# The user "node", as a number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "scripts/health-check.mjs"]
CMD ["node", "dist/programs/main.js"]
