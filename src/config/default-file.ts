/** The configuration file of every program that is started without `--config`. */
export const defaultConfigFile = '/etc/strongroom/strongroom.json'
