#!/usr/bin/env bash
# PostgreSQL 18 with the DocumentDB extension, private to one folder. Debian packages
# are unpacked there, nothing is installed: no root, chroot or user namespace needed.
#   documentdb.sh install DIR    fetch, unpack, initdb, CREATE EXTENSION
#   documentdb.sh copy DIR TO    a database of its own for one server: TO/data, TO/password
#   documentdb.sh unpack DIR NAME    another package of the same suite, alone: DIR/root
# Environment: DEBIAN_MIRROR, DEBIAN_SUITE (default: sid), DOCUMENTDB_USER (who runs
# the server when this script runs as root, which PostgreSQL refuses; default: nobody).
set -euo pipefail
umask 022
V=18
die() { echo "documentdb.sh: $*" >&2; exit 1; }

# Runs a command as the server's user. What it writes is never read or run by root.
as() {
  if [ "$(id -u)" != 0 ]; then "$@"; return; fi
  setpriv --reuid="$OWNER" --regid="$(id -g "$OWNER")" --clear-groups --no-new-privs "$@"
}

apt_setup() { # its own lists, cache and status file; proxy settings stay the machine's
  local mirror=${DEBIAN_MIRROR:-} key
  # Asking apt reads every format of sources; it prints addresses and fetches nothing.
  [ -n "$mirror" ] || mirror=$(apt-get update --print-uris 2>/dev/null |
    sed -n "s#^'\([^']*/debian\)/*/dists/.*#\1#p" | sed -n 1p || true)
  [ -n "$mirror" ] || die "apt's sources name no Debian mirror (…/debian); set DEBIAN_MIRROR"
  key=$(ls /usr/share/keyrings/debian-archive-keyring.{gpg,pgp} 2>/dev/null | sed -n 1p || true)
  [ -n "$key" ] || die "Debian's keys are missing: install the package debian-archive-keyring"
  rm -rf apt; mkdir -p apt/{state/lists,cache/archives,parts}/partial
  : > apt/status
  # target= leaves out translations and AppStream data, which apt may be set to fetch.
  echo "deb [signed-by=$key arch=$ARCH target=Packages] $mirror $SUITE main" > apt/sources.list
  # The cleared hooks would clean the machine's own caches.
  cat > apt/conf <<END
#clear APT::Update;
#clear DPkg;
Dir::State "$DIR/apt/state";
Dir::State::status "$DIR/apt/status";
Dir::Cache "$DIR/apt/cache";
Dir::Cache::archives "archives";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::Etc::sourcelist "$DIR/apt/sources.list";
Dir::Etc::sourceparts "$DIR/apt/parts";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$DIR/apt/parts";
APT::Install-Recommends "false";
APT::Architecture "$ARCH";
APT::Architectures { "$ARCH"; };
APT::Sandbox::User "root";
END
  apt-get -c apt/conf -qq update || die "apt cannot read $SUITE from $mirror"
}

# Dependencies that the server never loads, as patterns of whole package names. They
# keep out GDAL, Perl, systemd and some 120 more; a name that no longer matches only
# makes the download larger.
UNUSED="libgdal[0-9]+.*|libsfcgal[0-9]+.*|proj-data|postgresql-common|postgresql-client-$V|\
ssl-cert|locales|tzdata|debconf|libc-gconv-modules-extra|openssl-provider-legacy|\
libxslt1[.]1|libuuid1|libselinux1|libsasl2-modules-db|libaudit-common"

pretend() { # tells apt that those are installed, as one package which provides them
  local names
  names=$(apt-cache -c apt/conf pkgnames | grep -Ex "$UNUSED") || return 0
  # shellcheck disable=SC2086
  printf '%s\n' "Package: unused" "Status: install ok installed" "Version: 1" \
    "Architecture: $ARCH" "Maintainer: none" "Description: none" \
    "Provides: $(apt-cache -c apt/conf show --no-all-versions $names |
      awk '/^Package:/{p=$2} /^Version:/{printf "%s%s (= %s)", c, p, $2; c=", "}')" > apt/status
}

fetch() {
  apt-get -c apt/conf -qq -y -d install "postgresql-$V-documentdb" > apt/log 2>&1 ||
    die "apt cannot fetch postgresql-$V-documentdb from $SUITE: $(tail -n 3 apt/log)"
  rm -rf root; mkdir root
  # Without -p tar drops set-uid bits, which matters when root unpacks.
  find apt/cache/archives -name '*.deb' -print0 | xargs -0 -n 1 -P "$(nproc)" sh -c \
    'dpkg-deb --fsys-tarfile "$0" | tar -x -C root --no-same-owner --no-same-permissions \
      --exclude=./etc --exclude=./var --exclude="./usr/share/[!p]*" --exclude=bitcode'
  local bin=root/usr/lib/postgresql/$V/bin ext=root/usr/share/postgresql/$V/extension p
  # The package does this with update-alternatives.
  [ -e "$ext/postgis.control" ] || ln -s postgis-3.control "$ext/postgis.control"
  # The programs need the suite's own libc, so each is started through its ld.so. The
  # wrapper carries the program's name and place, from which PostgreSQL derives the
  # rest (its libraries and share folder too); the folder can therefore be moved.
  mv "$bin" "$bin.real"; mkdir "$bin"
  cat > "$bin/postgres" <<END
#!/bin/sh
unset LD_PRELOAD; export LC_ALL=C OPENSSL_CONF=/dev/null
R=\${0%/usr/lib/postgresql/*} L=\${0%/bin/*}
exec "\$R/$(cd root; ls usr/lib/*-linux-gnu*/ld-linux*.so.?)" --inhibit-cache --library-path \\
  "\$R/$(cd root; echo usr/lib/*-linux-gnu*):\$L/lib" --argv0 "\$0" "\$L/bin.real/\${0##*/}" "\$@"
END
  chmod 755 "$bin/postgres"
  for p in initdb pg_ctl pgbench; do cp "$bin/postgres" "$bin/$p"; done
}

complete() { # does every library resolve, and inside the folder?
  local lib=$DIR/root/usr/lib/postgresql/$V libs ld f
  libs=$(echo "$DIR"/root/usr/lib/*-linux-gnu*) ld=$(echo "$DIR"/root/usr/lib/*/ld-linux*.so.?)
  for f in "$lib"/bin.real/{postgres,initdb,pg_ctl} \
    "$lib"/lib/{pg_documentdb,pg_documentdb_extended_rum_core,pg_cron,vector,rum,postgis-3}.so; do
    [ -e "$f" ] || continue # a later version may not have it
    "$ld" --inhibit-cache --library-path "$libs:$lib/lib" --list "$f" |
      awk -v dir="$DIR/root/" '/=>/ && index($3, dir) != 1 { print; bad = 1 } END { exit bad }' \
        > apt/missing || return 1
  done
}

create() { # the data folder, under another name until it is whole
  # Where the package has it, this extension lets an index return rows in order. Without
  # it, each page sorts all rows that its filter finds. Upstream's set-up loads it as well.
  local preload=pg_cron,pg_documentdb_core,pg_documentdb handler='' create_ordered=''
  if [ -e "$DIR/root/usr/lib/postgresql/$V/lib/pg_documentdb_extended_rum.so" ]; then
    preload=$preload,pg_documentdb_extended_rum handler=extended_rum
    create_ordered='CREATE EXTENSION documentdb_extended_rum'
  fi
  rm -rf home; mkdir home; [ "$(id -u)" != 0 ] || chown "$OWNER:" home
  as sh -c 'umask 077; od -An -N16 -tx1 /dev/urandom | tr -d " \n" > home/password'
  # The built-in locale sorts alike on every machine, whatever locales are installed.
  as "$BIN/initdb" -D "$DIR/home/new" -U postgres -A scram-sha-256 --pwfile=home/password -E UTF8 \
    --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 > apt/log 2>&1 ||
    { cat apt/log >&2; die "initdb failed"; }
  # pg_cron builds indexes with two jobs every 2 s. By default it stores the server's
  # present port in its jobs and logs each run; background workers need no port, and the
  # logs are switched off. DocumentDB connects back to the server with the password from
  # `pgpass`, a path relative to the data folder. Its worker does too; its role gets the
  # password below. Without a password, anybody with a login on this machine could run
  # programs as the server's user. fsync, synchronous_commit and full_page_writes keep
  # PostgreSQL's defaults, which are on.
  as sh -c 'umask 077; echo "*:*:*:*:$(cat home/password)" > home/new/pgpass
    cat >> home/new/postgresql.conf' <<'END'
cron.database_name = 'postgres'
cron.use_background_workers = on
cron.log_run = off
cron.log_statement = off
documentdb.localhost_connection_string = 'host=127.0.0.1 passfile=pgpass'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''  # their paths have a short limit
max_worker_processes = 16
log_checkpoints = off
timezone = 'GMT'  # needs no time zone files
log_timezone = 'GMT'
END
  as sh -c 'printf "%s = %s\n" "$@" >> home/new/postgresql.conf' create \
    shared_preload_libraries "'$preload'" documentdb.alternate_index_handler_name "'$handler'"
  # Single-user mode: no port needed, no psql. It exits 0 after an error, hence the SELECT.
  printf '%s\n' 'CREATE EXTENSION documentdb CASCADE' "$create_ordered" \
    "DO \$\$ DECLARE r name; BEGIN FOR r IN SELECT rolname FROM pg_roles WHERE rolcanlogin AND \
rolname LIKE 'documentdb%' LOOP EXECUTE format('ALTER ROLE %I PASSWORD %L', r, \
'$(as cat home/password)'); END LOOP; END \$\$" \
    "SELECT 'made=' || extversion FROM pg_extension WHERE extname = 'documentdb'" |
    as "$BIN/postgres" --single -D "$DIR/home/new" postgres > apt/log 2>&1 || true
  if ! grep -q 'made=' apt/log || grep -q 'ERROR:' apt/log; then
    cat apt/log >&2
    die "CREATE EXTENSION documentdb failed"
  fi
  as mv home/new home/data
}

install() {
  [ ! -e installed ] || [ ! -d home/data ] || return 0
  [ ! -d home/data ] || die "$DIR/home/data exists, but the install is not whole; move it away"
  local c
  for c in apt-get apt-cache dpkg dpkg-deb flock tar xargs awk; do
    command -v "$c" > /dev/null || die "$c is missing: this needs Debian or a distribution like it that has apt"
  done
  exec 9> lock
  flock 9 # a second install waits, then finds the work done
  [ ! -e installed ] || [ ! -d home/data ] || return 0
  ARCH=$(dpkg --print-architecture) SUITE=${DEBIAN_SUITE:-sid}
  if [ ! -e installed ]; then
    apt_setup
    pretend
    fetch
    if ! complete; then
      echo "documentdb.sh: a library is missing; fetching every dependency" >&2
      : > apt/status
      fetch
      complete || die "the suite's packages do not fit together: $(cat apt/missing)"
    fi
    touch installed
  fi
  mkdir -p apt
  create
  rm -rf apt
}

# Gives a server its own copy of the empty database.
copy() {
  local to=$1
  case $to in /*) ;; *) die "not an absolute path: $to" ;; esac
  [ -e installed ] && [ -d home/data ] || die "$DIR is not installed; run: documentdb.sh install $DIR"
  if [ ! -d "$to" ]; then
    mkdir -p "$to"
    [ "$(id -u)" != 0 ] || chown "$OWNER:" "$to"
    chmod 700 "$to"
  fi
  if as test -d "$to/data"; then return 0; fi
  # Under another name until it is whole.
  as sh -c 'rm -rf "$1/new" && cp -R -p home/data "$1/new" && cp -p home/password "$1/password" &&
    mv "$1/new" "$1/data"' copy "$to" || die "cannot copy the empty database to $to"
}

# Fetches one package without those that it depends on: a program that needs only the C library.
unpack() {
  ARCH=$(dpkg --print-architecture) SUITE=${DEBIAN_SUITE:-sid}
  apt_setup
  (cd apt/cache && apt-get -c ../conf -qq download "$1") > apt/log 2>&1 ||
    die "apt cannot fetch $1 from $SUITE: $(tail -n 3 apt/log)"
  dpkg-deb --extract apt/cache/*.deb root
  rm -rf apt
}

usage="usage: documentdb.sh install DIR | copy DIR TO | unpack DIR NAME"
case "${1-} $#" in 'install 2' | 'copy 3' | 'unpack 3') ;; *) die "$usage" ;; esac
[ "$1" != install ] || mkdir -p "$2"
cd "$2" 2> /dev/null || die "no such folder: $2"
DIR=$(pwd -P)
case $DIR in *[!A-Za-z0-9/._+-]*) die "unsuitable folder name (letters, digits and /._+- only): $DIR" ;; esac
BIN=$DIR/root/usr/lib/postgresql/$V/bin
if [ "$(id -u)" = 0 ]; then
  OWNER=${DOCUMENTDB_USER:-nobody}
  command -v setpriv > /dev/null || die "as root, setpriv (package util-linux) is needed"
  [ "$(id -u "$OWNER" 2> /dev/null || echo 0)" != 0 ] || die "no such unprivileged user: $OWNER"
  as test -x "$DIR" -a -r "$DIR" || die "the user $OWNER cannot reach $DIR; choose another folder or DOCUMENTDB_USER"
else
  id -un > /dev/null 2>&1 || die "user $(id -u) has no name in the passwd file; initdb wants one"
fi
"$1" "${@:3}"
