#!/bin/sh
# Builds the image where no container engine runs, lists its size, starts it as user 1000 and asks it for a page.
#
#   scripts/try-image.sh [FOLDER]     FOLDER keeps the base and the image (3 GB); default: a temporary folder
#
# Needs root, the set-up of this repository, and Debian's buildah, debootstrap and bubblewrap. Debian and the pinned Node
# stand in for the image that the Dockerfile begins with.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$(realpath -m "${1:-$(mktemp -d)}")
mkdir -p "$work"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }
sed 's/@sha256:[0-9a-f]*//' Dockerfile > "$work/Dockerfile"
base_name=$(sed -n 's/^FROM \([^ ]*\)$/\1/p' "$work/Dockerfile" | tail -n 1)
suite=$(printf %s "$base_name" | sed 's/.*-\([a-z]*\)-slim.*/\1/')

if [ ! -e "$work/base/done" ]; then
  rm -rf "$work/base"
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/base"
  mirror=$(sed -n 's/^deb \([^ ]*\) .*/\1/p' "$work/base/etc/apt/sources.list" | head -n 1)
  printf 'deb %s %s main\n' "$mirror" "$suite-updates" "$mirror-security" "$suite-security" >> "$work/base/etc/apt/sources.list"
  # What Debian's slim images leave out.
  printf 'path-exclude %s\n' '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/locale/*' > "$work/base/etc/dpkg/dpkg.cfg.d/slim"
  printf 'APT::Keep-Downloaded-Packages "false"; Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";\nDPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb || true"; };\n' \
    > "$work/base/etc/apt/apt.conf.d/slim"
  rm -rf "$work/base/usr/share/doc" "$work/base/usr/share/man" "$work/base/usr/share/locale" \
    "$work/base/var/cache/apt/archives/"*.deb "$work/base/var/lib/apt/lists/"*
  cp node_modules/node/bin/node "$work/base/usr/local/bin/node"
  mkdir -p "$work/base/usr/local/lib/node_modules"
  cp -RL "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$work/base/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/base/usr/local/bin/npm"
  chroot "$work/base" useradd --uid 1000 --create-home node
  touch "$work/base/done"
fi

container=$(buildah from scratch)
buildah copy --quiet "$container" "$work/base" / > /dev/null
buildah commit --quiet --rm "$container" "$base_name" > /dev/null
# The settings and the authorities of this machine, for npm.
certificates=/etc/ssl/certs
cat "$(npm config get userconfig)" > "$work/npmrc" 2> /dev/null || true
printf '\ncafile=%s/ca-certificates.crt\n' "$certificates" >> "$work/npmrc"
buildah build --quiet --pull-never --layers \
  --volume "$work/npmrc:/root/.npmrc:ro" --volume "$certificates:$certificates:ro" --tag winnow \
  --file "$work/Dockerfile" "$root" > /dev/null
container=$(buildah from --pull-never winnow)
image=$(buildah mount "$container")
trap 'buildah rm "$container" > /dev/null' EXIT

echo "MB  part"
size() { du -smc "$@" 2>/dev/null | tail -n 1 | sed 's/\t.*//'; }
base=$(size "$work/base")
all=$(size "$image")
modules=$(size "$image/srv/winnow/node_modules")
code=$(size "$image/srv/winnow")
printf '%s  %s\n' "$base" "Debian, Node and npm" "$((all - base - code))" "Chromium and its libraries" \
  "$modules" "packages of the service" "$((code - modules))" "the service and its console" "$all" "in all"

state=$(mktemp -d)
port=18173
bwrap --ro-bind "$image" / --bind "$state" /var/lib/winnow --tmpfs /tmp --proc /proc --dev /dev --tmpfs /dev/shm \
  --unshare-user --uid 1000 --gid 1000 --unshare-pid --die-with-parent --chdir /srv/winnow --clearenv \
  --setenv PATH /usr/local/bin:/usr/bin:/bin --setenv NODE_ENV production --setenv WINNOW_DATA_DIR /var/lib/winnow \
  --setenv WINNOW_PORT "$port" --setenv WINNOW_HOST 127.0.0.1 \
  winnow serve > "$state/log" 2>&1 &
service=$!
trap 'kill "$service" 2> /dev/null; buildah rm "$container" > /dev/null' EXIT
left=120
until curl -fsS "http://127.0.0.1:$port/readyz" > "$state/ready" 2> /dev/null; do
  left=$((left - 1))
  if [ "$left" = 0 ] || ! kill -0 "$service" 2> /dev/null; then
    cat "$state/log" "$state/ready"
    exit 1
  fi
  sleep 1
done
cat "$state/ready"
echo
