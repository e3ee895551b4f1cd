import { expect, it } from 'vitest'
import { faultCatalogue } from '../../../src/http/contract/faults.ts'
import { sv } from '../../../src/web/words/sv.ts'

/** Faults that no call of the console meets. */
const elsewhere = new Map([
  // The operator's commands alone.
  [1406, 'vault.has_admin'],
  [1408, 'vault.has_confirmer'],
  [1601, 'template.exists'],
  [1602, 'template.in_use'],
  [1603, 'template.frozen'],
  [1706, 'apikey.not_found'],
  // Calls as no browser makes them of the page.
  [1800, 'request.not_json'],
  [1802, 'request.method'],
  [1805, 'request.expect'],
  [1806, 'request.length_required'],
  [1808, 'request.encoding'],
  [1809, 'request.header_too_large'],
  [1810, 'request.uri_too_long'],
  [1811, 'request.plain_http'],
  [1812, 'request.not_form'],
])

it('every fault that the console can meet has its sentence in Swedish', () => {
  const met = Object.entries(faultCatalogue).filter(([code, { number }]) => elsewhere.get(number) !== code)
  expect(met.length).toBeGreaterThan(80)
  expect(Object.keys(sv.faults).map(Number)).toEqual(met.map(([, { number }]) => number).toSorted((a, b) => a - b))
})
