/** The style sheet of a view, loaded together with it. */
declare module '*.css'
