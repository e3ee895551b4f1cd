/** The releases whose shapes answers may have (spec: Versioning); an application key has one of them. */
export const responseVersions = ['2.1.0', '2.0.5'] as const

export type ResponseVersion = (typeof responseVersions)[number]

export const currentResponseVersion: ResponseVersion = '2.1.0'
