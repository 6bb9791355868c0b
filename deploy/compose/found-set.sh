#!/bin/bash
# Founds the replica set and makes the user that the service signs in as, who may read and write its database and nothing
# else. Running it again changes nothing but that user's password, which becomes what MONGODB_PASSWORD says.
set -euo pipefail
admin="admin:$(<"${ADMIN_PASSWORD_FILE:-/tls/admin.password}")"
trust='tls=true&tlsCAFile=/tls/ca.crt&authSource=admin'
export DATABASE=${MONGODB_DATABASE:-switchyard}

# ask HOSTS PROGRAM: retries, because a member that just started may not answer yet, and a new set has no primary yet.
ask() {
  for _ in {1..30}; do
    if mongosh --quiet "mongodb://$admin@$1&$trust" --eval "$2"; then return; fi
    sleep "${PAUSE_SECONDS:-2}"
  done
  echo 'MongoDB cannot be made a replica set: what it said stands above.' >&2
  exit 1
}

ask 'mongodb-1:27017/?directConnection=true' '
  const members = ["mongodb-1", "mongodb-2", "mongodb-3"].map((name, _id) => ({ _id, host: `${name}:27017` }))
  try { rs.status() } catch (error) {
    if (error.codeName !== "NotYetInitialized") throw error
    rs.initiate({ _id: "switchyard", members })
  }'

ask 'mongodb-1,mongodb-2,mongodb-3/?replicaSet=switchyard' '
  const [database, pwd] = [process.env.DATABASE, process.env.MONGODB_PASSWORD]
  const roles = [{ role: "readWrite", db: database }]
  const admin = db.getSiblingDB("admin")
  if (admin.getUser("switchyard") === null) admin.createUser({ user: "switchyard", pwd, roles })
  else admin.updateUser("switchyard", { pwd, roles })'
