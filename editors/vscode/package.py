"""Packs the extension for VS Code, from the files beside this one alone.

usage: package.py [OUT.vsix | -]        code --install-extension OUT.vsix
"""
import io
import json
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="json" ContentType="application/json"/>
  <Default Extension="js" ContentType="application/javascript"/>
  <Default Extension="vsixmanifest" ContentType="text/xml"/>
</Types>
"""
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
    <DisplayName>{displayName}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Categories>Programming Languages</Categories>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def packed():
    package = json.loads((HERE / "package.json").read_text(encoding="utf-8"))
    manifest = MANIFEST.format(**package, engine=package["engines"]["vscode"])
    files = {"[Content_Types].xml": TYPES.encode(), "extension.vsixmanifest": manifest.encode()}
    for path in sorted([HERE / "package.json", *HERE.glob("*.js"), *HERE.glob("*/*.json")]):
        files["extension/" + path.relative_to(HERE).as_posix()] = path.read_bytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)  # the same bytes at any time
    return out.getvalue()


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "tenon.vsix"
    if len(sys.argv) > 2 or (name.startswith("-") and name != "-"):
        print(__doc__.strip(), file=sys.stdout if name == "--help" else sys.stderr)
        sys.exit(name != "--help")
    if name == "-":
        sys.stdout.buffer.write(packed())
    else:
        pathlib.Path(name).write_bytes(packed())


if __name__ == "__main__":
    main()
