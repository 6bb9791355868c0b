#!/bin/bash
# Founds the replica set and makes the user that the service signs in as, who may read and write its database and nothing
# else. Running it again changes nothing but that user's password, which becomes what MONGODB_PASSWORD says.
set -euo pipefail
trust='tls=true&tlsCAFile=/tls/ca.crt&authSource=admin'
admin="admin:$(</tls/admin.password)"
export DATABASE=${MONGODB_DATABASE:-switchyard}

mongosh --quiet "mongodb://$admin@mongodb-1:27017/?directConnection=true&$trust" --eval '
  const members = ["mongodb-1", "mongodb-2", "mongodb-3"].map((name, _id) => ({ _id, host: `${name}:27017` }))
  try { rs.status() } catch (error) {
    if (error.codeName !== "NotYetInitialized") throw error
    rs.initiate({ _id: "switchyard", members })
  }'

mongosh --quiet "mongodb://$admin@mongodb-1,mongodb-2,mongodb-3/?replicaSet=switchyard&$trust" --eval '
  const [database, pwd] = [process.env.DATABASE, process.env.MONGODB_PASSWORD]
  const roles = [{ role: "readWrite", db: database }]
  const admin = db.getSiblingDB("admin")
  if (admin.getUser("switchyard") === null) admin.createUser({ user: "switchyard", pwd, roles })
  else admin.updateUser("switchyard", { pwd, roles })'
