import { faultCatalogue } from '../../src/http/contract/faults.ts'
import { clientOperations, hasEnvelope } from './client-operations.ts'

const banner = `"""Operations and errors of the interface, made by test/unit/http/python-catalogue.test.ts from its OpenAPI document.

Not edited by hand: GOLDEN=write npx vitest run test/unit/http/python-catalogue.test.ts
"""`

/** Text of `clients/python/strongroom/catalogue.py`: addresses of operations, error numbers. */
export function pythonCatalogue(): string {
  const { operations: all } = clientOperations()
  const operations = all
    .filter(hasEnvelope)
    .map(({ name, method, path, isPublic }) => [name, method, path, isPublic ? 'True' : 'False'] as const)
  const errors = Object.entries(faultCatalogue).map(
    ([code, { number, status }]) => `    "${code}": (${number}, ${status}),`,
  )
  return [
    banner,
    '',
    'from typing import Literal, Mapping, Tuple',
    '',
    'Operation = Literal[',
    ...operations.map(([name]) => `    "${name}",`),
    ']',
    '',
    '#: Method and path of each operation, and whether it takes no session.',
    'OPERATIONS: Mapping[str, Tuple[str, str, bool]] = {',
    ...operations.map(([name, method, path, isPublic]) => `    "${name}": ("${method}", "${path}", ${isPublic}),`),
    '}',
    '',
    '#: Number and status of each error, by its code.',
    'ERRORS: Mapping[str, Tuple[int, int]] = {',
    ...errors,
    '}',
    '',
  ].join('\n')
}
