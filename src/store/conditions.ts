import { Raw, type FindOperator } from 'typeorm'

/**
 * Condition that a column is not null. `Not(IsNull())` becomes NOT (… IS NULL), for which SQLite does not use a partial
 * index on IS NOT NULL.
 */
export const isSet = (): FindOperator<string> => Raw((column) => `${column} IS NOT NULL`)
