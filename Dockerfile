# The inbox as a container:  docker build -t sorted . && docker run -p 8080:8080 -v sorted:/data sorted
# The first stage builds a program that brings Swift's runtime along; the second holds only that and what it links.
# Not tried: this file has never been built. `make release` builds the same program and runs it in such a root folder.
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libpq-dev libsqlite3-dev pkg-config \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN swift build --package-path Sorted -c release --static-swift-stdlib --product sorted \
  && install -D "$(swift build --package-path Sorted -c release --static-swift-stdlib --show-bin-path)/sorted" /out/sorted \
  && cp -R "$(swift build --package-path Sorted -c release --static-swift-stdlib --show-bin-path)"/*.resources /out/

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates curl libpq5 libsqlite3-0 libvips-tools tzdata \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --home-dir /data --create-home sorted
COPY --from=build /out /usr/local/bin/
USER sorted
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s CMD curl --fail --silent http://127.0.0.1:8080/health || exit 1
ENTRYPOINT ["sorted"]
CMD ["serve", "--accounts", "--store", "/data/inbox.store", "--host", "0.0.0.0", "--port", "8080"]
