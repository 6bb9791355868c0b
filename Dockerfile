FROM node:24-slim AS manifests
WORKDIR /switchyard
COPY package.json package-lock.json .npmrc ./

FROM manifests AS packages
RUN npm ci --omit=dev --omit=optional

# With the programs of the chains, which are optional packages.
FROM manifests AS demo-packages
RUN npm ci --omit=dev

FROM oven/bun:1.4.5-slim AS code
WORKDIR /switchyard
COPY package.json tsconfig.json ./
COPY machines machines
COPY contracts/artifacts contracts/artifacts
COPY src src
# JavaScriptCore collects garbage by how much memory it takes the machine to have: 128 MB, whatever the host has. The
# ratio says how soon it walks through the whole heap again: at its default, at every second collection of this service.
# The threshold lets the last of its compilers work for the hottest code only.
ENV NODE_ENV=production PORT=3000 BUN_JSC_forceRAMSize=134217728 BUN_JSC_minEdenToOldGenerationRatio=0.15 BUN_JSC_thresholdForFTLOptimizeAfterWarmUp=300000
# Where a signer keeps its log: a volume that is mounted here belongs to the user of the process.
RUN mkdir -p /var/lib/switchyard && chown bun:bun /var/lib/switchyard
USER bun
EXPOSE 3000
HEALTHCHECK --start-period=60s --start-interval=1s --interval=30s --timeout=3s --retries=3 \
  CMD ["bun", "-e", "const r = await fetch(`http://127.0.0.1:${process.env.PORT}/api/health`); process.exit(r.ok ? 0 : 1)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["bun", "src/cli/main.ts"]

FROM code AS demo
COPY --from=demo-packages /switchyard/node_modules node_modules
ENV SWITCHYARD_DIR=/tmp/switchyard
CMD ["demo"]

FROM code AS service
COPY --from=packages /switchyard/node_modules node_modules
CMD ["start"]
