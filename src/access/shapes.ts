/** The releases whose shapes answers may have (spec: Versioning); an application key has one of them. */
export const shapes = ['2.1.0', '2.0.5'] as const

export type Shapes = (typeof shapes)[number]

export const currentShapes: Shapes = '2.1.0'
