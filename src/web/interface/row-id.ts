/** Every number of the appliance is one of digits. `.` in its place would be another address. */
export const isId = (text: string | undefined): text is string => text !== undefined && /^\d+$/.test(text)
