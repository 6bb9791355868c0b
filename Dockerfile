FROM node:20-slim AS packages
WORKDIR /switchyard
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional

FROM oven/bun:1.4.5-slim
WORKDIR /switchyard
COPY --from=packages /switchyard/node_modules node_modules
COPY package.json tsconfig.json ./
COPY machines machines
COPY contracts/artifacts contracts/artifacts
COPY src src
# JavaScriptCore sizes its heap by the memory it believes in.
ENV NODE_ENV=production PORT=3000 BUN_JSC_forceRAMSize=134217728
USER bun
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=12 \
  CMD ["bun", "-e", "const r = await fetch(`http://127.0.0.1:${process.env.PORT}/api/health`); process.exit(r.ok ? 0 : 1)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["bun", "src/cli/main.ts"]
CMD ["start"]
