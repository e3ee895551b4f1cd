import { expect, it } from 'vitest'
import { sealedRows } from '../../../src/daemon/sealed-rows.ts'
import { tables } from '../../../src/daemon/tables.ts'

it('every column that holds a seal is sealed anew when the seal is rotated', () => {
  const columns = tables.flatMap(({ options }) =>
    Object.keys(options.columns)
      .filter((name) => /seal$/i.test(name))
      .map((name) => `${options.tableName} ${name}`),
  )
  expect(sealedRows.map(({ table, column }) => `${table} ${column}`).toSorted()).toEqual(columns.toSorted())
})
