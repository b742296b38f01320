# A formula for Homebrew. The release has a copy of it with its own address and checksum.
class Merge3 < Formula
  desc "Schema-free, comment-preserving three-way merge for YAML packages"
  homepage "https://github.com/kmerge3/merge3"
  url "https://github.com/kmerge3/merge3/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"
  head "https://github.com/kmerge3/merge3.git", branch: "main"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"merge3", "completions")
    system bin/"merge3", "man", "--all", buildpath/"man"
    man1.install Dir["man/*.1"]
  end

  test do
    (testpath/"base.yaml").write "a: 1\nb: 1\n"
    (testpath/"ours.yaml").write "a: 2\nb: 1\n"
    (testpath/"theirs.yaml").write "a: 1\nb: 2\n"
    assert_equal "a: 2\nb: 2\n", shell_output("#{bin}/merge3 merge-file -p ours.yaml base.yaml theirs.yaml")
  end
end
