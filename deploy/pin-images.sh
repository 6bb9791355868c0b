#!/bin/sh
# Pins each image that this repository takes from a registry to the digest that its tag has there now, in the files that
# name it. Run it before a release and to take updates; a tag can be moved, a digest cannot. It needs Docker and the network.
#   deploy/pin-images.sh           writes the digests
#   deploy/pin-images.sh --check   names the images that have none, and fails if there is one
set -eu
cd "$(dirname "$0")/.."
files='Dockerfile compose.yaml deploy/compose/compose.yaml'
# Skips the service's own image and the stages of the Dockerfile, which have no tag.
named='^(FROM|[[:space:]]+image:( &[a-z-]+)?) +([a-z0-9./-]+:[a-z0-9.-]+)(@sha256:[0-9a-f]{64})?( AS [a-z-]+)?$'
# shellcheck disable=SC2086
images=$(sed -nE "s#$named#\3\4#p" $files | sort -u)

if [ "${1:-}" = --check ]; then
  open=$(printf '%s\n' "$images" | grep -v '@sha256:' || true)
  [ -z "$open" ] && exit 0
  printf 'Not pinned by a digest: %s\n' $open >&2
  exit 1
fi

for image in $images; do
  tag=${image%@*}
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$tag")
  case $digest in
    sha256:????????????????????????????????????????????????????????????????) ;;
    *) echo "The registry shows no digest of $tag." >&2; exit 1 ;;
  esac
  escaped=$(printf %s "$tag" | sed 's/\./\\./g')
  for file in $files; do
    sed -E "s#( )$escaped(@sha256:[0-9a-f]{64})?( AS [a-z-]+)?\$#\1$tag@$digest\3#" "$file" >"$file.new"
    # Overwrites the content, so that the file keeps its mode.
    cat "$file.new" >"$file"
    rm "$file.new"
  done
  echo "$tag@$digest"
done
