"""Unit 06, right answers written differently: each is named after its exercise."""

import numpy as np
import torch
import torch.nn.functional as F


def residual_by_singular_values(x):
    rest = x - x.mean(dim=-2, keepdim=True)
    return torch.linalg.svdvals(rest).norm(dim=-1) / torch.linalg.svdvals(x).norm(dim=-1)


def residual_by_the_deviation(x):
    spread = x.var(dim=1, correction=0).sum(-1)
    return (spread / x.square().mean(1).sum(-1)).sqrt()


def cost_as_floats(length, d_model, num_heads):
    token = float(d_model) ** 2 * length
    return {"pairs": 2.0 * d_model * length**2, "mlp": 8 * token, "projections": 4 * token}


def cost_in_numpy(length, d_model, num_heads):
    sizes = np.array([4 * length * d_model, 2 * length**2, 8 * length * d_model]) * d_model
    return dict(zip(["projections", "pairs", "mlp"], sizes.tolist(), strict=True))


def probe_in_numpy(train, test, ridge=1e-3):
    def rows(states):
        n, t, d = states.shape
        return np.c_[np.asarray(states).reshape(n * t, d), np.ones(n * t)], np.tile(np.arange(t), n)

    z, p = rows(train)
    w = np.linalg.inv(z.T @ z + ridge * np.eye(z.shape[1])) @ z.T @ p
    z, p = rows(test)
    return np.mean(np.abs(z @ w - p))


def probe_by_more_rows(train, test, ridge=1e-3):
    z = F.pad(train, (0, 1), value=1.0).flatten(0, 1)
    p = torch.arange(train.shape[1]).repeat(len(train)).to(z)
    held = ridge**0.5 * torch.eye(z.shape[1], dtype=z.dtype)
    longer, targets = torch.cat([z, held]), torch.cat([p, torch.zeros(len(held)).to(p)])
    w = torch.linalg.lstsq(longer, targets[:, None]).solution[:, 0]
    errors = F.pad(test, (0, 1), value=1.0) @ w - torch.arange(test.shape[1])
    return errors.abs().mean()


def probe_by_the_dual(train, test, ridge=1e-3):
    def rows(states):
        z = states.reshape(-1, states.shape[-1])
        return torch.hstack([z, torch.ones(len(z), 1, dtype=z.dtype)])

    z, y = rows(train), rows(test)
    p = torch.cat([torch.arange(train.shape[1])] * len(train)).to(z)
    kernel = z @ z.T + ridge * torch.eye(len(z), dtype=z.dtype)
    found = y @ z.T @ torch.linalg.solve(kernel, p)
    return (found - torch.cat([torch.arange(test.shape[1])] * len(test))).abs().mean().item()


def depths_by_recursion(parents):
    def depth(word):
        return 0 if parents[word] < 0 else 1 + depth(int(parents[word]))

    return torch.tensor([depth(word) for word in range(len(parents))]).long()


def depths_by_doubling(parents):
    jump = torch.where(parents < 0, torch.arange(len(parents)), parents)
    found = (parents >= 0).long()
    for _ in range(len(parents).bit_length()):
        found, jump = found + found[jump], jump[jump]
    return found


def tree_by_shortest_paths(parents):
    length = len(parents)
    steps = torch.full((length, length), 1e9)
    steps.fill_diagonal_(0)
    for word, parent in enumerate(parents.tolist()):
        if parent >= 0:
            steps[word, parent] = steps[parent, word] = 1
    for middle in range(length):
        steps = torch.minimum(steps, steps[:, middle, None] + steps[None, middle])
    depth = steps[int((parents < 0).nonzero())]
    drop = depth[None, :] - depth[:, None]
    places = torch.arange(length)
    order = torch.sign(places[None, :] - places[:, None])
    return torch.where(drop.abs() == steps, drop, order * steps).long()


def tree_by_climbing(parents):
    def depth(word):
        return 0 if parents[word] < 0 else 1 + depth(int(parents[word]))

    length, above = len(parents), parents.tolist()
    depths = [depth(word) for word in range(length)]
    found = torch.zeros(length, length, dtype=torch.long)
    for i in range(length):
        for j in range(length):
            a, b, up, down = i, j, 0, 0
            while a != b:
                if depths[a] >= depths[b]:
                    a, up = above[a], up + 1
                else:
                    b, down = above[b], down + 1
            one_path = up == 0 or down == 0
            found[i, j] = down - up if one_path else (up + down) * (1 if j > i else -1)
    return found


def convolution_by_dot_products(x, kernel, alpha):
    place = torch.arange(len(x), dtype=x.dtype)
    keys = torch.stack([place**2, place, torch.ones_like(place)])  # −(j − c)² = −j² + 2cj − c²
    found = torch.zeros(len(x), len(kernel), dtype=x.dtype)
    for h in range(kernel.shape[2]):
        c = place + h - kernel.shape[2] // 2
        queries = alpha * torch.stack([-torch.ones_like(c), 2 * c, -(c**2)], 1)
        found += torch.softmax(queries @ keys, dim=1) @ x @ kernel[:, :, h].T
    return found


def convolution_by_fused_attention(x, kernel, alpha):
    taps, length = kernel.shape[2], len(x)
    delta = torch.arange(length)[None] - torch.arange(length)[:, None]
    centres = torch.arange(-(taps // 2), taps // 2 + 1)
    bias = (-alpha * (delta[None] - centres[:, None, None]) ** 2).to(x.dtype)
    nothing = torch.zeros(taps, length, 1, dtype=x.dtype)
    values = x @ kernel.permute(2, 1, 0)  # (H, T, C')
    return F.scaled_dot_product_attention(nothing, nothing, values, attn_mask=bias).sum(0)
