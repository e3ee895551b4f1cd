/** So many earlier versions of each object a vault keeps that does not say otherwise. */
export const usualHistory = '10'
