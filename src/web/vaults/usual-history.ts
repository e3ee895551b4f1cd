/** Number of earlier versions of an object that a vault keeps by default. */
export const usualHistory = '10'
