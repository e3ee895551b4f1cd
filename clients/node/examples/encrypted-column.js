// An encrypted column of a PostgreSQL table, with typeorm. A subscriber encrypts it: a transformer would be synchronous.
// Rows that typeorm saves or loads together are encrypted or decrypted by one call.
//   node encrypted-column.js add NAME CARD [NAME CARD …]     prints the ids
//   node encrypted-column.js change ID CARD
//   node encrypted-column.js list                            prints each row as JSON
// Grants: { "keys": "cards", "operations": ["encrypt", "decrypt"], "aad": "Y3VzdG9tZXIuY2FyZDo=" } (customer.card:)
import { randomUUID } from 'node:crypto'
import { DataSource, EntitySchema } from 'typeorm'
import { connect } from './connect.js'

// The program chooses the id, because the ciphertext is bound to it before the database sees the row.
const Customer = new EntitySchema({
  name: 'customer',
  columns: { id: { type: 'uuid', primary: true }, name: { type: 'text' }, card: { type: 'text' } },
})

/** Binds the ciphertext to table, column and row. In another row its decryption fails. */
const aadOf = ({ id }) => `customer.card:${id}`

function encryptedCard(key) {
  // The plaintexts of encrypted rows. A row whose save failed keeps its ciphertext, and must not be encrypted twice.
  const plaintexts = new WeakMap()
  const seal = async (row) => {
    if (plaintexts.get(row)?.ciphertext === row.card) return
    const plaintext = row.card
    row.card = await key.encrypt(plaintext, { aad: aadOf(row) })
    plaintexts.set(row, { plaintext, ciphertext: row.card })
  }
  const show = ({ entity }) => void (entity.card = plaintexts.get(entity)?.plaintext ?? entity.card)
  return {
    listenTo: () => 'customer',
    beforeInsert: ({ entity }) => seal(entity),
    beforeUpdate: async ({ entity, updatedColumns }) => {
      if (updatedColumns.some(({ propertyName }) => propertyName === 'card')) await seal(entity)
    },
    afterInsert: show,
    afterUpdate: show,
    afterLoad: async (row) => void (row.card = await key.decryptText(row.card, { aad: aadOf(row) })),
  }
}

const { client, key } = connect('cards')
const database = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities: [Customer] })
await database.initialize()
database.subscribers.push(encryptedCard(key))
const customers = database.getRepository(Customer)
const [command, ...words] = process.argv.slice(2)
try {
  if (command === 'list')
    for (const row of await customers.find({ order: { name: 'ASC' } })) console.log(JSON.stringify(row))
  else if (command === 'change')
    await customers.save({ ...(await customers.findOneByOrFail({ id: words[0] })), card: words[1] })
  else {
    const rows = words.flatMap((name, at) => (at % 2 ? [] : [{ id: randomUUID(), name, card: words[at + 1] }]))
    for (const { id } of await customers.save(rows)) console.log(id)
  }
} finally {
  await database.destroy()
  client.close()
}
