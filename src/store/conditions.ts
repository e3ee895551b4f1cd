import { Raw, type FindOperator } from 'typeorm'

/**
 * Of a column that holds something. `Not(IsNull())` says the same as NOT (… IS NULL), for which SQLite takes no index of
 * the rows that hold something.
 */
export const isSet = (): FindOperator<string> => Raw((column) => `${column} IS NOT NULL`)
