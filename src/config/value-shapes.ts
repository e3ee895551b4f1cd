import { z } from 'zod'

// What several sections of the configuration are made of.

/** Of a file or folder. */
export const path = z.string().min(1).meta({ format: 'path' })
/** 0 lets the system choose one. */
export const port = z.number().int().min(0).max(65_535)
export const milliseconds = z.number().int().positive()
