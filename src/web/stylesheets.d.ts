/** The styles of a view, loaded with it. */
declare module '*.css'
