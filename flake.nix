{
  description = "Schema-free, comment-preserving three-way merge for YAML packages";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forAll = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forAll (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "merge3";
          version = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # the tests start git in temporary repositories, and take minutes: `make test` runs them
          doCheck = false;
          postInstall = ''
            for shell in bash zsh fish; do
              $out/bin/merge3 completions $shell > merge3.$shell
            done
            installShellCompletion merge3.{bash,zsh,fish}
            $out/bin/merge3 man --all man
            installManPage man/*.1
          '';
          meta = {
            description = "Schema-free, comment-preserving three-way merge for YAML packages";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "merge3";
          };
        };
      });
      devShells = forAll (pkgs: {
        default = pkgs.mkShell { packages = with pkgs; [ cargo rustc rustfmt clippy git python3 ]; };
      });
    };
}
