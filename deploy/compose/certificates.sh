#!/bin/sh
# Makes a private authority, a certificate for NATS and one for MongoDB, and the secrets that only servers share. Running
# it again renews what expires within 30 days and keeps the rest. The authority stays, so clients need nothing new.
#
#   authority/   the authority's own key: mount it nowhere else
#   trust/       ca.crt, for all clients
#   nats/        ca.crt, tls.crt and tls.key
#   mongodb/     ca.crt, tls.pem, the members' set.key and the password of the user "admin"
set -eu
umask 077
folder=${1:?say which folder the certificates go into}
nats_hosts=${NATS_HOSTS:-nats-1 nats-2 nats-3}
mongodb_hosts=${MONGODB_HOSTS:-mongodb-1 mongodb-2 mongodb-3}
# The owner of the files of MongoDB: mongod refuses a key file that others may read. 999 is the user of mongod in its image.
mongodb_user=${MONGODB_USER:-999:999}
month=2592000

mkdir -p "$folder/authority" "$folder/trust" "$folder/nats" "$folder/mongodb"
authority=$folder/authority
if [ ! -s "$authority/ca.crt" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 3650 -subj '/O=Switchyard/CN=Private authority' \
    -addext keyUsage=critical,keyCertSign,cRLSign -keyout "$authority/ca.key" -out "$authority/ca.new"
  mv "$authority/ca.new" "$authority/ca.crt"
fi

# certificate NAME HOSTS: the certificate and the key of one kind of server, valid for each of its hosts and for localhost.
certificate() {
  at=$authority/$1
  if [ -s "$at.crt" ] && openssl x509 -in "$at.crt" -noout -checkend "$month" >/dev/null; then return; fi
  names=DNS:localhost,IP:127.0.0.1
  for host in $2; do names=$names,DNS:$host; done
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj "/O=Switchyard/CN=$1" \
    -addext "subjectAltName=$names" -addext keyUsage=critical,digitalSignature \
    -addext extendedKeyUsage=serverAuth,clientAuth -addext basicConstraints=critical,CA:FALSE \
    -keyout "$at.key" -out "$at.csr"
  openssl x509 -req -in "$at.csr" -CA "$authority/ca.crt" -CAkey "$authority/ca.key" -copy_extensions copyall \
    -days 397 -out "$at.new"
  mv "$at.new" "$at.crt"
}
certificate nats "$nats_hosts"
certificate mongodb "$mongodb_hosts"
[ -s "$authority/set.key" ] || openssl rand -base64 756 >"$authority/set.key"
[ -s "$authority/admin.password" ] || openssl rand -hex 32 >"$authority/admin.password"

# put MODE OWNER FROM TO: replaces a file at once, so that a reader sees the old one or the new one.
put() {
  cp "$3" "$4.new"
  chmod "$1" "$4.new"
  [ "$(id -u)" != 0 ] || chown "$2" "$4.new"
  mv "$4.new" "$4"
}
cat "$authority/mongodb.crt" "$authority/mongodb.key" >"$authority/mongodb.pem"
for place in trust nats mongodb; do
  chmod 755 "$folder/$place"
  put 444 0:0 "$authority/ca.crt" "$folder/$place/ca.crt"
done
put 444 0:0 "$authority/nats.crt" "$folder/nats/tls.crt"
put 400 0:0 "$authority/nats.key" "$folder/nats/tls.key"
put 400 "$mongodb_user" "$authority/mongodb.pem" "$folder/mongodb/tls.pem"
put 400 "$mongodb_user" "$authority/set.key" "$folder/mongodb/set.key"
put 400 "$mongodb_user" "$authority/admin.password" "$folder/mongodb/admin.password"
