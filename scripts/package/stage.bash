# Sourced by scripts/package-deb: puts the files of the package below $stage, and builds the package.

inside=$work/stage$program
runtime=$inside/node

# Fetches Node.js from the npm registry, checked against the hash in the source, and caches it because it is large.
fetch_node() {
  local architecture name node_version integrity cache
  architecture=$(node -p process.arch)
  read -r node_version integrity < <(node -p 'const { version, integrity } = require(process.argv[1]);
    `${version} ${integrity[process.argv[2]] ?? ""}`' "$root/scripts/package/node.json" "$architecture")
  [ -n "$integrity" ] || { echo "scripts/package/node.json names no Node for $architecture."; exit 1; }
  name=node-linux-$architecture
  cache=$root/node_modules/.cache/strongroom-package/$name-$node_version.tgz
  if [ ! -e "$cache" ]; then
    mkdir -p "${cache%/*}" "$work/fetched"
    npm pack --silent --pack-destination "$work/fetched" "$name@$node_version"
    mv "$work/fetched/"*.tgz "$cache"
  fi
  if [ "$integrity" != "sha512-$(openssl dgst -sha512 -binary "$cache" | base64 -w 0)" ]; then
    rm "$cache"
    echo "$name $node_version is not what scripts/package/node.json names."
    exit 1
  fi
  mkdir -p "$work/node" "$runtime/bin"
  tar -xzf "$cache" -C "$work/node" --strip-components 1 --no-same-owner
  # Removes only symbols for debuggers; native packages still find the symbols that they link to.
  strip --strip-unneeded -o "$runtime/bin/node" "$work/node/bin/node"
  cp "$work/node/LICENSE" "$runtime/LICENSE"
  note "$node_version"
}

# Installs the packages that the program uses, compiled for the packaged Node.js.
stage_modules() {
  cp "$root/package.json" "$root/package-lock.json" "$inside"
  local npm header=$work/node/include/node/node_object_wrap.h
  npm=$(readlink -f "$(command -v npm)")
  # Here the header can be mended before anything is compiled, so that better-sqlite3 is not compiled twice.
  without_cleanup_hook "$header" >"$work/node_object_wrap.h"
  mv "$work/node_object_wrap.h" "$header"
  (
    cd "$inside"
    # Keeps paths of this machine out of the compiled files.
    export CFLAGS="-ffile-prefix-map=$work=." CXXFLAGS="-ffile-prefix-map=$work=."
    export PATH=$work/node/bin:$PATH npm_config_nodedir=$work/node npm_config_build_from_source=true
    node "$npm" ci --omit=dev --no-audit --no-fund
    mend_database_module
  )
  local modules=$inside/node_modules
  (cd "$modules" && rm -rf .bin .package-lock.json better-sqlite3/{deps,src,binding.gyp} pkcs11js/{src,includes,binding.gyp})
  find "$modules" -path '*/build/*' -type f ! -path '*/build/Release/better_sqlite3.node' ! -path '*/build/Release/pkcs11.node' \
    \( -path '*/better-sqlite3/*' -o -path '*/pkcs11js/*' \) -delete
  # Remove files that only compilers, debuggers, editors and readers of the source need.
  find "$modules" -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.flow' -o -name '*.html' -o -name '.*' \) -delete
  find "$modules" -type d \( -name '.*' -o -name test -o -name tests -o -name __tests__ -o -name docs \) -prune -exec rm -rf {} +
  find "$modules" -type d -empty -delete
  find "$modules" -name '*.node' -exec strip --strip-unneeded {} +
  note "$(find "$modules" -name package.json -path '*/node_modules/*' | wc -l) descriptions of packages, $(du -sm "$modules" | cut -f1) MB"
}

stage_files() {
  local share=$stage/usr/share doc=$stage/usr/share/doc/strongroom file
  copy_build "$inside"
  find "$inside/dist" -name '*.map' -delete
  # The packaged Node.js starts these files, not the one in their first line. That line becomes empty, so that line
  # numbers in stack traces stay right.
  sed -i '1s/^#!.*//' "$inside"/dist/bin/*.js
  strip --strip-unneeded "$inside/dist/hsm/ceremony"
  mkdir -p "$inside"/{softhsm,scripts,systemd} "$doc" "$stage/usr/bin" "$stage/usr/lib"/{systemd/system,sysusers.d,tmpfiles.d} "$stage/etc/logrotate.d"
  cp "$root"/softhsm/{init-token,softhsm2.conf.template} "$inside/softhsm"
  cp "$root"/scripts/{steps,native-modules,places,daemon,first-run,upgrade}.bash "$root"/scripts/{write-config.mjs,make-certificate} "$inside/scripts"
  cp "$root"/scripts/package/{configure,database-copy.bash} "$inside/scripts"
  cp "$root"/systemd/encrypted-*.conf "$inside/systemd"
  # package.json is part of the package, so that `version` shows the release of the package.
  node -e 'const fs = require("fs"), [, file, version] = process.argv, text = JSON.parse(fs.readFileSync(file));
    const { name, build, type, license, engines } = text
    fs.writeFileSync(file, JSON.stringify({ name, version: version.replace(/[-~+].*/, ""), build, type, license, engines }, undefined, 2) + "\n")' \
    "$inside/package.json" "$version"

  write_command strongroom "$program/node/bin/node" "$stage/usr/bin"
  write_command strongroomd "$program/node/bin/node" "$stage/usr/bin"
  write_units "$program/node/bin/node" "$root/systemd" "$stage/usr/lib/systemd/system"
  cp "$root/systemd/strongroom.sysusers" "$stage/usr/lib/sysusers.d/strongroom.conf"
  cp "$root/systemd/strongroom.tmpfiles" "$stage/usr/lib/tmpfiles.d/strongroom.conf"
  cp "$root/scripts/package/debian/logrotate" "$stage/etc/logrotate.d/strongroom"
  mkdir -p "$share/lintian/overrides"
  cp "$root/scripts/package/debian/lintian-overrides" "$share/lintian/overrides/strongroom"

  cp "$root"/{README,SECURITY}.md "$doc"
  cp -a "$root/docs" "$root/config" "$doc"
  for file in systemd softhsm; do install -m 0644 -D "$root/$file/README.md" "$doc/$file/README.md"; done
  gzip -9n <"$root/CHANGELOG.md" >"$doc/CHANGELOG.md.gz"
  printf 'strongroom (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
  "$work/node/bin/node" "$root/scripts/package/write-console-files.mjs" "$share" "$(date +%F -d "@$SOURCE_DATE_EPOCH")"
  find "$share/man" -type f -exec gzip -9n {} +
}

stage_papers() {
  local doc=$stage/usr/share/doc/strongroom node=$work/node/bin/node
  "$node" "$root/scripts/package/copyright.mjs" "$inside" "$root" >"$doc/copyright"
  (cd "$root" && npm sbom --sbom-format cyclonedx --package-lock-only 2>/dev/null) >"$work/npm-sbom.json"
  "$node" "$root/scripts/package/bill-of-materials.mjs" "$work/npm-sbom.json" "$inside" "$version" "$root" >"$doc/sbom.cdx.json"
  note "$(grep -c '^Files:' "$doc/copyright") groups of files, $(grep -c '"bom-ref"' "$doc/sbom.cdx.json") parts"
}

# The builder of the package is its maintainer.
maintainer="${DEBFULLNAME:-Strongroom} <${DEBEMAIL:-maintainers@strongroom.example.org}>"

# The packages of the distribution that the compiled parts need, with their least versions, as dpkg-shlibdeps finds
# them.
library_packages() {
  mkdir -p "$work/debian"
  printf 'Source: strongroom\n\nPackage: strongroom\nArchitecture: any\n' >"$work/debian/control"
  (cd "$work" && find stage -type f \( -name '*.node' -o -name node -o -name ceremony \) ! -name '*musl*' -exec dpkg-shlibdeps -O -T/dev/null \
    --ignore-missing-info {} + 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

write_package() {
  local control=$stage/DEBIAN libraries
  libraries=$(library_packages)
  [ -n "$libraries" ] || { echo 'dpkg-shlibdeps named no library.'; exit 1; }
  mkdir -p "$control"
  (cd "$stage" && find usr etc -type f -print0 | sort -z | xargs -0 md5sum) >"$work/md5sums"
  mv "$work/md5sums" "$control/md5sums"
  sed -e "s|@VERSION@|$version|; s|@ARCHITECTURE@|$(dpkg --print-architecture)|; s|@LIBRARIES@|$libraries|; s|@MAINTAINER@|$maintainer|" \
    -e "s|@SIZE@|$(du -sk --apparent-size --exclude=DEBIAN "$stage" | cut -f1)|" "$root/scripts/package/debian/control" >"$control/control"
  echo /etc/logrotate.d/strongroom >"$control/conffiles"
  cp "$root"/scripts/package/debian/{preinst,postinst,prerm,postrm,templates} "$control"
  find "$stage" -type d -exec chmod 0755 {} +
  find "$stage" -type f -exec chmod 0644 {} +
  # Shell programs are recognised by their first line; programs of Node.js do not need to be executable.
  grep -rlIm 1 '^#!/bin/' "$stage/usr" | xargs -d '\n' awk 'FNR > 1 { nextfile } /^#!/ { print FILENAME }' | xargs -d '\n' chmod 0755
  chmod 0755 "$control"/{preinst,postinst,prerm,postrm} "$runtime/bin/node" "$inside/dist/hsm/ceremony"
  find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  mkdir -p "${package%/*}"
  dpkg-deb --root-owner-group -Zxz --build "$stage" "$package" >/dev/null
  note "$(du -m "$package" | cut -f1) MB, needs $libraries"
}
