#!/bin/sh
# Makes a private authority, a certificate for NATS and one for MongoDB, and the secrets that only servers share; and a
# second authority, for nothing but the certificates that the signer and its workers show each other. Running it again
# renews what expires within 30 days and keeps the rest. The authorities stay, so clients need nothing new.
#
#   authority/   the authorities' own keys: mount it nowhere else
#   trust/       ca.crt, for all clients of NATS and MongoDB
#   nats/        ca.crt, tls.crt and tls.key
#   mongodb/     ca.crt, tls.pem, the members' set.key and the password of the user "admin"
#   signer/      ca.crt of the second authority, tls.crt and tls.key
#   worker/      the same for workers
set -eu
umask 077
folder=${1:?say which folder the certificates go into}
nats_hosts=${NATS_HOSTS:-nats-1 nats-2 nats-3}
mongodb_hosts=${MONGODB_HOSTS:-mongodb-1 mongodb-2 mongodb-3}
# The owner of the files of MongoDB: mongod refuses a key file that others may read. 999 is the user of mongod in its image.
mongodb_user=${MONGODB_USER:-999:999}
signer_hosts=${SIGNER_HOSTS:-signer}
# The owner of the keys of signer and workers. 1000 is the user of the service in its image.
service_user=${SERVICE_USER:-1000:1000}
month=2592000

authority=$folder/authority
signing=$authority/signing
mkdir -p "$signing"

# make_authority FOLDER NAME: the key and the certificate of an authority.
make_authority() {
  [ ! -s "$1/ca.crt" ] || return 0
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 3650 -subj "/O=Switchyard/CN=$2" \
    -addext keyUsage=critical,keyCertSign,cRLSign -keyout "$1/ca.key" -out "$1/ca.new"
  mv "$1/ca.new" "$1/ca.crt"
}
make_authority "$authority" 'Private authority'
make_authority "$signing" 'Authority of signer and workers'

# certificate AUTHORITY NAME USES HOSTS: a certificate and its key, valid for these uses, each of the hosts and localhost.
certificate() {
  at=$1/$2
  if [ -s "$at.crt" ] && openssl x509 -in "$at.crt" -noout -checkend "$month" >/dev/null; then return; fi
  names=DNS:localhost,IP:127.0.0.1
  for host in $4; do names=$names,DNS:$host; done
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj "/O=Switchyard/CN=$2" \
    -addext "subjectAltName=$names" -addext keyUsage=critical,digitalSignature \
    -addext "extendedKeyUsage=$3" -addext basicConstraints=critical,CA:FALSE \
    -keyout "$at.key" -out "$at.csr"
  openssl x509 -req -in "$at.csr" -CA "$1/ca.crt" -CAkey "$1/ca.key" -copy_extensions copyall \
    -days 397 -out "$at.new"
  mv "$at.new" "$at.crt"
}
certificate "$authority" nats serverAuth,clientAuth "$nats_hosts"
certificate "$authority" mongodb serverAuth,clientAuth "$mongodb_hosts"
certificate "$signing" signer serverAuth "$signer_hosts"
certificate "$signing" worker clientAuth worker
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
# make_folder NAME AUTHORITY: a folder to mount, with the certificate of the authority that its reader trusts.
make_folder() {
  mkdir -p "$folder/$1"
  chmod 755 "$folder/$1"
  put 444 0:0 "$2/ca.crt" "$folder/$1/ca.crt"
}
for place in trust nats mongodb; do make_folder "$place" "$authority"; done
for place in signer worker; do
  make_folder "$place" "$signing"
  put 444 0:0 "$signing/$place.crt" "$folder/$place/tls.crt"
  put 400 "$service_user" "$signing/$place.key" "$folder/$place/tls.key"
done
put 444 0:0 "$authority/nats.crt" "$folder/nats/tls.crt"
put 400 0:0 "$authority/nats.key" "$folder/nats/tls.key"
put 400 "$mongodb_user" "$authority/mongodb.pem" "$folder/mongodb/tls.pem"
put 400 "$mongodb_user" "$authority/set.key" "$folder/mongodb/set.key"
put 400 "$mongodb_user" "$authority/admin.password" "$folder/mongodb/admin.password"
