#!/usr/bin/env python3
"""Writes packages for benchmarks: `packages.py SHAPE FOLDER` makes FOLDER/{old,new,local} (and
FOLDER/local-all, for the shape prometheus).

    tens N      N resources, ten in a file; both sides change each of them, in different fields
    one N       the same in one file
    document B  one file with one document of about B bytes; both sides change it everywhere
    crd B       one CRD of about B bytes
    crds N      N CRDs of about 1 MB each in one file
    prometheus  like kube-prometheus: 95 files, most bytes in a few CRDs; upstream changes all files
    kubeflow    like kubeflow: 950 small files, of which upstream changes a few
    lines N     one Deployment of about N lines, for a merge driver
    small       one file of three lines

The same arguments give the same bytes.
"""
import pathlib
import sys

SIDES = ("old", "new", "local")


def deployment(number, side):
    """Returns a small Deployment. Upstream changes the image and the version; the fork changes the
    replicas and adds a comment and a label."""
    version = "2.0" if side == "new" else "1.0"
    replicas, mark, own = ("5", " # ours", "    team: shop\n") if side == "local" else ("1", "", "")
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata:{mark}
  name: app-{number}
  namespace: shop-{number % 7}
  labels:
    app: app-{number}
    version: "{version}"
{own}spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: app-{number}
  template:
    metadata:
      labels:
        app: app-{number}
    spec:
      containers:
      - name: app
        image: ghcr.io/acme/app-{number}:{version}
        args: ["--port=8080", "--log-level=info"]
        ports:
        - name: http
          containerPort: 8080
        env:
        - name: NUMBER
          value: "{number}"
        resources:
          limits:
            memory: 128Mi
"""


def properties(count, indent, seed, side):
    """Returns properties of an OpenAPI schema. Upstream changes the description of every 20th."""
    pad = " " * indent
    lines = []
    for number in range(count):
        changed = side == "new" and number % 20 == seed % 20
        text = "states, since this version," if changed else "states"
        lines.append(
            f"{pad}field{seed}x{number}:\n"
            f"{pad}  description: Field {number} of {seed} {text} what the operator makes of this object, see https://example.com/docs\n"
            f"{pad}  type: object\n"
            f"{pad}  properties:\n"
            f"{pad}    name:\n"
            f"{pad}      description: 'Name of the referent: it must exist.'\n"
            f"{pad}      type: string\n"
            f"{pad}    keys:\n"
            f"{pad}      type: array\n"
            f"{pad}      items:\n"
            f"{pad}        type: string\n"
            f"{pad}  required:\n"
            f"{pad}  - name\n")
    return lines


def crd(name, size, side):
    """Returns a CRD of about `size` bytes."""
    mark, own = (" # ours", "  generation: 7\n") if side in ("local", "local-all") else ("", "")
    version = "v0.15.0" if side == "new" else "v0.14.0"
    lines = [f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:{mark}
  annotations:
    controller-gen.kubebuilder.io/version: {version}
  name: {name}s.example.com
{own}spec:
  group: example.com
  names:
    kind: {name.capitalize()}
    plural: {name}s
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
"""]
    written = len(lines[0])
    seed = 0
    while written < size:
        group = [f"          group{seed}:\n            type: object\n            properties:\n"]
        group += properties(40, 14, seed, side)
        written += sum(map(len, group))
        lines += group
        seed += 1
    return "".join(lines)


def document(size, side):
    """Returns one document of about `size` bytes, services by name, which both sides change
    everywhere."""
    version = "2.0" if side == "new" else "1.0"
    replicas = "5 # ours" if side == "local" else "1"
    return "services:\n" + "".join(
        f"  service-{number}:\n"
        f"    image: ghcr.io/acme/service-{number}:{version}\n"
        f"    replicas: {replicas}\n"
        f"    description: what service number {number} is for, and who is to be asked when it is not there\n"
        f"    ports:\n"
        f"    - name: http\n"
        f"      containerPort: 8080\n" for number in range(size // 220))


def lines(count, side):
    """Returns a Deployment of about `count` lines. Upstream changes the images; the fork changes
    values and adds lines."""
    version = "2.0" if side == "new" else "1.0"
    containers = []
    for number in range((count - 12) // 12):
        value = "two" if side == "local" and number % 3 == 0 else "one"
        own = f"        - name: OURS\n          value: \"{number}\"\n" if side == "local" and number % 4 == 1 else ""
        containers.append(
            f"      - name: c{number}\n"
            f"        image: ghcr.io/acme/c{number}:{version}\n"
            f"        imagePullPolicy: IfNotPresent\n"
            f"        ports:\n"
            f"        - name: http\n"
            f"          containerPort: 8080\n"
            f"        env:\n"
            f"        - name: MODE\n"
            f"          value: {value}\n{own}"
            f"        resources:\n"
            f"          limits:\n"
            f"            memory: 128Mi\n")
    return ("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: 1\n  template:\n"
            "    metadata:\n      labels:\n        app: shop\n    spec:\n      containers:\n" + "".join(containers))


def write(folder, path, text):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def tens(folder, side, count):
    for start in range(0, count, 10):
        texts = (deployment(number, side) for number in range(start, min(start + 10, count)))
        write(folder, f"{start // 1000:03}/apps-{start:05}.yaml", "---\n".join(texts))


def one(folder, side, count):
    write(folder, "apps.yaml", "---\n".join(deployment(number, side) for number in range(count)))


def prometheus(folder, side):
    # the fork `local` changes a few files, the fork `local-all` every document
    sizes = [5, 32, 33, 34, 51, 249, 346, 372, 419, 485, 1500]
    for at, size in enumerate(sizes):
        write(folder, f"setup/{at}CustomResourceDefinition.yaml", crd(f"kind{at}", size * 1000, "old" if side == "local" else side))
    for number in range(84):
        forked = side == "local-all" or side == "local" and number % 12 == 0
        own = "local" if forked else "new" if side == "new" else "old"
        write(folder, f"app{number}-deployment.yaml", deployment(number, own))


def kubeflow(folder, side):
    for number in range(950):
        of_upstream = side if number % 8 == 0 else "old"
        texts = (deployment(number * 4 + at, of_upstream) for at in range(4))
        write(folder, f"apps/component{number // 20}/base/resource{number}.yaml", "---\n".join(texts))


def main():
    shape, folder = sys.argv[1], pathlib.Path(sys.argv[-1])
    size = int(sys.argv[2]) if len(sys.argv) == 4 else 0
    for side in SIDES + (("local-all",) if shape == "prometheus" else ()):
        here = folder / side
        here.mkdir(parents=True)
        match shape:
            case "tens" | "one":
                (tens if shape == "tens" else one)(here, side, size)
            case "document":
                write(here, "services.yaml", document(size, side))
            case "crd":
                write(here, "crd.yaml", crd("big", size, side))
            case "crds":
                write(here, "crds.yaml", "---\n".join(crd(f"kind{number}", 1_000_000, side) for number in range(size)))
            case "prometheus":
                prometheus(here, side)
            case "kubeflow":
                kubeflow(here, side)
            case "lines":
                write(here, "deployment.yaml", lines(size, side))
            case "small":
                image = "app:2" if side == "new" else "app:1"
                write(here, "app.yaml", f"image: {image}\nreplicas: {5 if side == 'local' else 1}\nport: 80\n")
            case _:
                sys.exit(__doc__)


if __name__ == "__main__":
    main()
